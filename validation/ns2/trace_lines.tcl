# Topology A of Alemu's thesis with a trace of RED's queue: ns trace_lines.tcl SCHEME FLOWS DELAYED SEED START
# SCHEME is gRED or Floyd, DELAYED 1 for receivers that wait 100 ms for a second packet, START when the flows beyond three
# begin: 3.5 as in LOAD(N), or 50 as in INC(M); 100 s. Prints one line: mean, variance and share of the empty ones (%) of
# samples of the queue every 10 ms, then of the lines of the trace of `curq_`, the variable in which ns-2's RED shows its
# queue, then arrivals, drops, lines, and the share (%) of samples after 60 s in which the buffer of 35 packets was full.
# Such a line is written where an arriving packet finds another length than the one before found.
lassign $argv scheme flows delayed seed start

set ns [new Simulator]
$defaultRNG seed $seed
set rng [new RNG]
$rng seed [expr {100000 + 7 * $seed}]
Queue set limit_ 100000
Agent/TCP set minrto_ 1.0
Agent/TCPSink/Sack1/DelAck set interval_ 100ms
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set thresh_ 5
Queue/RED set maxthresh_ 15
Queue/RED set linterm_ 10
Queue/RED set mean_pktsize_ 1000
Queue/RED set q_weight_ [expr {1 - exp(-1 / 187.5)}]
Queue/RED set gentle_ true
Queue/RED set adaptive_ [expr {$scheme eq "Floyd"}]

foreach name {s1 s2 r1 r2 s3} {set $name [$ns node]}
$ns duplex-link $s1 $r1 10Mb 2ms DropTail
$ns duplex-link $s2 $r1 10Mb 3ms DropTail
$ns duplex-link $r2 $s3 10Mb 4ms DropTail
$ns duplex-link $r1 $r2 1.5Mb 20ms RED
$ns queue-limit $r1 $r2 35
$ns queue-limit $r2 $r1 35
set trace [open [pid].trace w]
set red [[$ns link $r1 $r2] queue]
$red trace curq_
$red attach $trace
set monitor [$ns monitor-queue $r1 $r2 ""]
source [file join [file dirname [info script]] samples.tcl]
$ns at 0.01 sample
set late 0
set full 0
proc late {} {
    global ns monitor late full
    incr late
    if {[$monitor set pkts_] >= 35} {incr full}
    $ns at [expr {[$ns now] + 0.01}] late
}
$ns at 60.01 late

proc transfer {from to size window at} {
    global ns delayed
    set tcp [new Agent/TCP/Sack1]
    $tcp set packetSize_ $size
    $tcp set window_ $window
    $ns attach-agent $from $tcp
    set sink [new Agent/TCPSink/Sack1[expr {$delayed ? "/DelAck" : ""}]]
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $at "$ftp start"
}
transfer $s1 $s3 1600 15 0.0
transfer $s3 $s1 1600 15 1.0
transfer $s2 $s3 1600 15 3.0
for {set i 0} {$i < $flows - 3} {incr i} {
    transfer $s1 $s3 1000 20 [expr {$start + 0.1 * $i + [$rng uniform 0 0.1]}]
}

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
