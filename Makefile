# Every target sets up what it needs by itself: cargo >= 1.88, python3 >= 3.11, make and a C compiler are enough.
.DEFAULT_GOAL := help
SHELL := /bin/sh
BIN := .venv/bin
# Empty: Python keeps compiled modules, so that the commands that tests start do not compile the package each time.
export PYTHONDONTWRITEBYTECODE :=

# Without the job server of a parallel make, which cargo cannot open.
CARGO := env -u MAKEFLAGS -u MFLAGS cargo

.PHONY: help man setup demo test check gen docs docs-site docs-links pictures papers papers-full meaning measured schemes l4s lessons queue-law fec fluid recommendations advice advice-check model-figures study-figures studies live-module charts real-vs-simulated accuracy bench instructions wheels try-arm bench-peers validate linux-kernel real-queues tc-read-back fuzz fuzz-dialects lint lint-rust lint-python test-rust test-python

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## check versions, make .venv, build the native module; a second call returns at once
	@tools/setup.sh

demo: setup ## the main job: queues compared on the uplink of a home, then on the link of a thesis; a table and a page of each
	@mkdir -p out
	$(BIN)/penstock compare examples/home_uplink.toml --scheme droptail --scheme red:min_th=33,max_th=100 --scheme pie \
		--scheme codel --scheme fq-codel --scheme cake --runs 10 --html out/home_uplink.html
	$(BIN)/penstock compare scenarios/thesis_link.toml --scheme droptail --scheme red --scheme red:gentle=true \
		--scheme ared-feng --scheme ared-floyd --scheme psand:max_p_high=0.75,target=10p \
		--vary traffic.extra.count=0,25,50,100 --runs 10 --html out/thesis_link.html

test: setup ## every test: lint, Rust, Python, docs
	$(MAKE) --jobs 2 --output-sync lint-python test-rust
	$(MAKE) test-python docs-site

check: lint ## quick: format, lints, types, unit tests; under two minutes
	cargo test --locked --quiet --lib
	$(BIN)/pytest -x -m "not slow and not quiet"

lint: lint-rust lint-python

lint-rust: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --quiet --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --quiet --no-deps --workspace

lint-python: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	MYPYPATH=python $(BIN)/stubtest penstock._native

test-rust: lint-rust
	$(CARGO) test --locked --quiet

test-python: setup
	$(BIN)/pytest --numprocesses auto --dist loadgroup -m "not link and not site and not quiet"
	$(BIN)/pytest -m link

man: setup ## write the manual page again
	$(BIN)/python docs/make/manual.py

gen: setup ## write the generated Python classes again, from the native module
	$(BIN)/python -m penstock.scenario._gen
	$(BIN)/python -m penstock.results._gen

live-module: ## build the engine for the pages of penstock live again: python/penstock/live/penstock.wasm
	tools/live_module.sh

charts: ## build the libraries that draw the charts of pages again; needs npm and a network
	tools/charts.sh

docs: setup ## build the documentation into docs/_build/html
	$(BIN)/sphinx-build -W --keep-going -q -j auto -b html docs docs/_build/html

docs-site: docs ## build the documentation, and open its pages in a browser
	$(BIN)/pytest --numprocesses auto tests/python/test_docs_site.py

docs-links: setup ## ask for every outside link of the documentation; needs a network
	$(BIN)/sphinx-build -q -b linkcheck docs docs/_build/links

pictures: demo ## draw the pictures of pages again: docs/images/page*.png, live.png and live.webp; needs Chromium
	$(BIN)/python docs/make/picture.py

papers: setup ## every published work, quickly: verdicts as text, pages in out/papers.html
	@mkdir -p out
	$(BIN)/penstock reproduce --quick --html out/papers.html

papers-full: setup ## every published work in full, one after the other, recorded beside it; goes on after an interruption
	for work in python/penstock/papers/*/; do $(BIN)/penstock reproduce $$work --full --update || \
		{ code=$$?; [ $$code = 3 ] || exit $$code; failed=3; }; done; exit $${failed:-0}

meaning: setup ## record the results of every mechanism again, once MEANING was raised; refused if they changed without that
	$(BIN)/python -m tests.python.record_of_meaning

measured: setup ## write every measured table of the documentation again: docs/data, and the pages made from it
	PENSTOCK_MEASURE=1 cargo test --locked --quiet -p penstock-sim --test integration measured
	$(MAKE) schemes l4s lessons queue-law fec fluid recommendations model-figures study-figures

schemes: setup ## measure every scheme on the standard link, and write docs/schemes-compared.md from it
	$(BIN)/python docs/make/compared.py --measure

l4s: setup ## run the checklist of the Prague L4S requirements, and write the table of its page
	$(BIN)/python docs/make/l4s.py

lessons: setup ## run the lessons, and write the tables of their pages
	$(BIN)/python docs/make/lessons.py

queue-law: setup ## the queue law against the simulation: measure it, and write docs/explanation/queue-law.md from it
	$(BIN)/python docs/make/queue_law.py --measure

fec: setup ## forward error correction behind drop-tail and RED: measure it, and write docs/explanation/fec.md from it
	$(BIN)/python docs/make/fec.py --measure

fluid: setup ## simulate where queues begin to swing beside the fluid model, and write its table and figures
	$(BIN)/python docs/make/fluid.py --measure

recommendations: setup ## the advice of the five works with today's TCP and queues: measure it, and write its page
	$(BIN)/python docs/make/recommendations.py --measure

advice: setup ## what penstock tune advises on nine links: measure it, and write its page; 20 minutes
	$(BIN)/python docs/make/advice.py --measure

advice-check: setup ## this advice on fresh networks, and 500 random settings on those where it fails; 70 minutes of processor time
	$(BIN)/python docs/make/advice_check.py --case 0 1 2 3 4 7 8 9 10
	$(BIN)/python docs/make/advice_check.py --case 5 6 --networks 20

model-figures: setup ## draw the figures of the closed forms of ps.model again
	$(BIN)/python docs/make/model_figures.py

study-figures: setup ## run the study of docs/howto/cluster.md and draw its figures again, in seconds
	$(BIN)/python docs/make/study_figures.py

studies: setup ## the cost of a chunk for the driver of a cluster, and the tables of its page; two quiet cores, two minutes
	$(BIN)/python docs/make/studies.py --measure

real-vs-simulated: setup ## twelve scenarios for real and in simulation, side by side, and their page; as root, 17 minutes
	$(BIN)/python docs/make/real.py --measure

accuracy: setup ## the accuracy of real links at five rates, beside tbf and htb, and its page; as root, 7 minutes
	$(BIN)/python docs/make/accuracy.py --measure

bench: setup ## each scheme in ns a packet at 10 to 100 000 flows; packets per CPU second on the reference workloads and on live pages
	cargo bench --locked --quiet -p penstock-aqm --bench packets
	$(BIN)/python peers/bench.py
	$(BIN)/pytest -m quiet

instructions: setup ## record the instructions per packet that the tests hold the engine to; needs valgrind
	$(BIN)/python peers/guard.py --record

bench-peers: setup ## the same scenarios in ns-2, ns-3 and htsim where they are installed (peers/bench.py): docs/data/peers.json
	$(BIN)/python peers/bench.py --record --repeat 5

validate: setup ## compare with the reference results cell by cell
	$(BIN)/python -m validation --write docs/validation-results.md

linux-kernel: ## build Linux 6.1 for virtual time into build/linux, to record more cells (packages: validation/linux/README.md)
	validation/linux/build.sh

real-queues: setup linux-kernel ## Linux's queues beside penstock's under real TCP, in virtual time: record them, and write docs/explanation/real-queues.md
	cargo build --locked --quiet --release -p penstock-emu --example joined
	$(BIN)/python -m validation.linux.real_queues
	$(BIN)/python docs/make/real_queues.py

tc-read-back: setup linux-kernel ## lines of penstock convert in a real tc and kernel, in virtual time: what tc prints of them, for the tests
	$(BIN)/python -m validation.linux.tc_read_back

wheels: setup ## wheels for Linux (x86-64, aarch64) and the source distribution, in dist/, tried in new environments
	tools/wheels.sh

try-arm: ## the wheel for ARM of dist/ on an emulated processor, as root: all recorded runs must have their results
	tools/try_arm.sh

fuzz: setup ## ten million damaged packets for parser and links, random operations on each scheme, damaged lines of tc
	cd fuzz && cargo run --locked --release --quiet -- 10 1
	PENSTOCK_FUZZ=200000 $(BIN)/pytest -q tests/python/test_tc_round_trip.py

fuzz-dialects: setup ## damaged configurations of every dialect, others each time: no crash, no hang, no word in silence
	PENSTOCK_FUZZ=100000 PENSTOCK_FUZZ_SEED=$$(date +%s) $(BIN)/pytest -q tests/python/test_tc_round_trip.py \
		tests/python/test_dialects_round_trip.py tests/python/test_dialects_foreign_words.py
