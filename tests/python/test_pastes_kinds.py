"""Small pasted texts, one property at a time: prompts, abbreviations, foreign commands, types, expressions, names."""

from __future__ import annotations

import pytest
from penstock.dialects import ConversionContext, DialectError, read
from penstock.dialects.ns2_expressions import evaluate_expression
from penstock.dialects.pasted_text import strip_terminal_marks


@pytest.mark.parametrize("prompt", [
    "root@OpenWrt:~# ", "[admin@web01 ~]$ ", "root@freebsd:~ # ", "me@mac ~ % ",
    "[2.7.2-RELEASE][admin@pfSense.home]/root: ", "mac:~ me$ ", "ops@gw:/etc/init.d$ ",
])  # fmt: skip
def test_shell_prompts_and_other_commands_are_ignored(prompt: str) -> None:
    pipe = f"{prompt}uname -a\n{prompt}sudo ipfw pipe 1 config bw 3Mbit/s queue 40\n{prompt}"
    assert read(pipe, "dummynet").parameters == {"limit": "40p"}
    queue = f"{prompt}uptime\n{prompt}tc qdisc add dev eth0 root pfifo limit 40\n{prompt}"
    assert read(queue, "tc").parameters["limit"] == "40p"


@pytest.mark.parametrize("page", ["--More--", " --More-- ", "---(more)---", "---(more 45%)---", "<--- More --->",
                                  " --More-- \b\b\b\b   \b\b", " --More-- \r          \r"])  # fmt: skip
def test_marks_of_pagers_are_removed(page: str) -> None:
    assert strip_terminal_marks(f"a\n{page}\nb").split() == ["a", "b"]
    text = f"policy-map P\n class class-default\n{page}  queue-limit 9\n"
    assert read(text, "cisco").parameters == {"limit": "9p"}


@pytest.mark.parametrize("command", [
    "crypto isakmp policy 10\n encr aes", "zone security INSIDE", "ip access-list extended A\n permit ip any any",
    "track 1 ip sla 1", "bridge irb", "no ip http server", "redundancy\n mode none", "vlan 10\n name users",
    "class-map type inspect match-any I\n match protocol tcp",
    "policy-map type inspect F\n class type inspect I\n  inspect",
    "banner motd ^C\nclass warfare\nno queue-limit\n^C",
])  # fmt: skip
@pytest.mark.parametrize("separator", ["", "!\n"])
def test_global_commands_of_ios_end_a_policy_map(command: str, separator: str) -> None:
    policy = "policy-map P\n class class-default\n  queue-limit 9\n"
    assert read(f"{policy}{separator}{command}\ninterface Gi0/1\n service-policy output P", "cisco").parameters == {
        "limit": "9p"
    }


@pytest.mark.parametrize(("short", "full"), [
    ("int gi0/1", "interface gi0/1"), ("inter gi0/1", "interface gi0/1"), ("policy-m P", "policy-map P"),
    ("service-pol out P", "service-policy output P"), ("queue-l 9", "queue-limit 9"), ("rand", "random-detect"),
    ("bandw 100", "bandwidth 100"), ("fair", "fair-queue"),
])  # fmt: skip
def test_abbreviations_of_ios_are_written_out(short: str, full: str) -> None:
    text = "policy-map P\n class class-default\n  queue-limit 9\n  random-detect\n  bandwidth 100\n  fair-queue\n"
    text += "interface gi0/1\n service-policy output P\n"
    assert full in text
    assert read(text.replace(full, short, 1), "cisco").parameters == read(text, "cisco").parameters


@pytest.mark.parametrize("word", ["bandwith 100", "queue-limits 9", "random-detct"])
def test_a_misspelt_command_of_ios_is_not_a_global_command(word: str) -> None:
    for text in (f"policy-map P\n class A\n  {word}", f"policy-map P\n class A\n  queue-limit 9\n!\n{word}"):
        with pytest.raises(DialectError, match="class A has no"):
            read(text, "cisco")


@pytest.mark.parametrize(("kind", "scheme"), [
    ("fq_codel", "fq-codel"), ("FQ_PIE", "fq-pie"), ("fifo", "droptail"), ("wf2q+", "droptail"),
    ("wf2q+ codel", "codel"), ("rr pie", "pie"),
])  # fmt: skip
def test_a_pipe_with_a_type_is_a_scheduler(kind: str, scheme: str) -> None:
    pipe = f"pipe 1 config bw 10Mbit/s type {kind}"
    assert read(pipe, "dummynet").scheme == scheme
    if kind.lower().startswith("fq"):
        assert read(f"{pipe}\nqueue 1 config pipe 1", "dummynet").scheme == scheme


@pytest.mark.parametrize(("text", "value"), [
    ("100/4", "25"), ("5/2", "2"), ("5/2.0", "2.5"), ("3*(10-4)", "18"), ("int(0.25*80)", "20"), ("-(2-6)", "4"),
    ("2*5", "10"), ("1e1*2", "20.0"), ("7/-2*-1", "4"), ("40/round(-2.5)*-1", "14"), ("round(2.5)", "3"),
    ("round(3.5)", "4"), ("double(7)/2", "3.5"), ("wide(3.9)", "3"), ("10.0*2/3", "6.666666666666667"),
])  # fmt: skip
def test_expressions_of_tcl_are_computed(text: str, value: str) -> None:
    """The values are those that tclsh 8.6 prints."""
    assert evaluate_expression(text) == value
    assert read(f"Queue/RED set maxthresh_ [expr {{{text}}}]", "ns2").parameters["max_th"] == float(value)


@pytest.mark.parametrize("text", ["$n", "2**9", "1/0", "abs(1)", "[x]", "9" * 300, "(" * 150, "1;2", "int()"])
def test_other_expressions_are_refused(text: str) -> None:
    with pytest.raises(DialectError, match="only arithmetic"):
        evaluate_expression(text)


ONE = {
    "cisco": "policy-map P\n class class-default\n  queue-limit 9\ninterface Gi0/1\n service-policy output P",
    "arista": "interface Ethernet1/1\n tx-queue 1\n  no priority",
    "dummynet": "pipe 7 config bw 1Mbit/s",
    "ns2": "$ns duplex-link $a $b 1Mb 1ms DropTail",
    "sonic": '{"QUEUE": {"Ethernet0|0": {}}}',
}


@pytest.mark.parametrize("dialect", ONE)
def test_a_name_that_the_text_does_not_have_is_an_error(dialect: str) -> None:
    assert read(ONE[dialect], dialect)
    with pytest.raises(DialectError, match="--device no/such"):
        read(ONE[dialect], dialect, ConversionContext(name="no/such"))


def test_a_variable_keeps_the_type_of_its_number() -> None:
    """Tcl divides 20.0 by 8 to 2.5, and 20 by 8 to 2."""
    for factor, share in (("10.0", 2.5), ("10", 2.0)):
        text = (
            f"set product [expr 2*{factor}]\nQueue/RED set thresh_ [expr $product/8]\nQueue/RED set maxthresh_ $product"
        )
        parameters = read(text, "ns2").parameters
        assert (parameters["min_th"], parameters["max_th"]) == (share, 20.0)
    with pytest.raises(DialectError, match="too large"):
        evaluate_expression("1e308*10")


@pytest.mark.parametrize("quote", ["'", '"', "''", ";'", "' '"])
def test_a_quote_alone_is_no_command(quote: str) -> None:
    assert read(f"tc qdisc add dev eth0 root pfifo limit 9\n {quote}\n", "tc").parameters == {"limit": "9p"}
