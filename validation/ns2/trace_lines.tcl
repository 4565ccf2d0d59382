# Topology A of Alemu's thesis with a trace of RED's queue: ns trace_lines.tcl SCHEME FLOWS DELAYED SEED START
# SCHEME is gRED or Floyd, DELAYED 1 for receivers that wait 100 ms for a second packet, START when the flows beyond three
# begin: 3.5 as in LOAD(N), or 50 as in INC(M); 100 s. Prints one line: mean, variance and share of the empty ones (%) of
# samples of the queue every 10 ms, then of the lines of the trace of `curq_`, the variable in which ns-2's RED shows its
# queue, then arrivals, drops, lines, and the share (%) of samples after 60 s in which the buffer of 35 packets was full.
# Such a line is written where an arriving packet finds another length than the one before found.
lassign $argv scheme flows delayed seed start
set min 5
set max 15
set adaptive [expr {$scheme eq "Floyd"}]
source [file join [file dirname [info script]] thesis.tcl]

set trace [open [pid].trace w]
set red [[$ns link $r1 $r2] queue]
$red trace curq_
$red attach $trace
set late 0
set full 0
proc late {} {
    global ns monitor late full
    incr late
    if {[$monitor set pkts_] >= 35} {incr full}
    $ns at [expr {[$ns now] + 0.01}] late
}
$ns at 60.01 late

$ns at 100.0 finish
proc finish {} {
    global trace monitor samples sum squares empty late full
    close $trace
    set n 0; set first 0.0; set second 0.0; set none 0
    set file [open [pid].trace]
    while {[gets $file line] >= 0} {
        lassign $line what at q
        if {$what ne "Q"} continue
        incr n
        set first [expr {$first + $q}]
        set second [expr {$second + double($q) * $q}]
        if {$q == 0} {incr none}
    }
    close $file
    file delete [pid].trace
    set shown {}
    foreach {k s s2 e} [list $samples $sum $squares $empty $n $first $second $none] {
        set mean [expr {$s / $k}]
        lappend shown [format "%.3f %.2f %.2f" $mean [expr {$s2 / $k - $mean * $mean}] [expr {100.0 * $e / $k}]]
    }
    puts "$shown [$monitor set parrivals_] [$monitor set pdrops_] $n [expr {100.0 * $full / $late}]"
    exit 0
}
$ns run
