# PSAND made of ns-2's RED on topology A of Alemu's thesis: ns psand.tcl COEF GAMMA HIGH MIN MAX FLOWS DELAYED SEED [Floyd]
# max_p is moved every 0.5 s through `cur_max_p_`, so that the ramp above Max stays where max_p first put it. Min 0 is to be
# given as 0.000001: ns-2 takes 0 for "automatic". With Floyd the scheme is ns-2's own adaptive RED. DELAYED is 1 for
# receivers that wait 100 ms for a second packet. Prints mean and variance of samples of the queue every 10 ms, losses
# and empty samples in percent; 100 s.
lassign $argv coef gamma high min max flows delayed seed scheme
set ns [new Simulator]
$defaultRNG seed $seed
set rng [new RNG]
$rng seed [expr {100000 + 7 * $seed}]
Queue set limit_ 100000
Agent/TCP set minrto_ 1.0
Agent/TCPSink/Sack1/DelAck set interval_ 100ms
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set thresh_ $min
Queue/RED set maxthresh_ $max
Queue/RED set linterm_ 10
Queue/RED set mean_pktsize_ 1000
Queue/RED set q_weight_ [expr {1 - exp(-1 / 187.5)}]
Queue/RED set gentle_ true
Queue/RED set adaptive_ 0
if {$scheme eq "Floyd"} {Queue/RED set adaptive_ 1}
foreach name {s1 s2 r1 r2 s3} {set $name [$ns node]}
$ns duplex-link $s1 $r1 10Mb 2ms DropTail
$ns duplex-link $s2 $r1 10Mb 3ms DropTail
$ns duplex-link $r2 $s3 10Mb 4ms DropTail
$ns duplex-link $r1 $r2 1.5Mb 20ms RED
$ns queue-limit $r1 $r2 35
$ns queue-limit $r2 $r1 35
set monitor [$ns monitor-queue $r1 $r2 ""]
source [file join [file dirname [info script]] samples.tcl]
$ns at 0.01 sample
set prev(0) -1; set prev(1) -1
proc adapt {} {
    global ns r1 r2 prev coef gamma high
    foreach i {0 1} ends {{r1 r2} {r2 r1}} {
        set q [[$ns link [set [lindex $ends 0]] [set [lindex $ends 1]]] queue]
        set a [$q set ave_]
        set change [expr {$prev($i) > 1e-9 ? $a / $prev($i) : 1.0}]
        set beta [expr {$coef * pow($a / 10.0 * $change, $gamma)}]
        set p [expr {[$q set cur_max_p_] * $beta}]
        if {$p > $high} {set p $high}
        if {$p < 0.01} {set p 0.01}
        $q set cur_max_p_ $p
        set prev($i) $a
    }
    $ns at [expr {[$ns now] + 0.5}] adapt
}
if {$scheme eq "PSAND" || $scheme eq ""} {$ns at 0.5 adapt}
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
    transfer $s1 $s3 1000 20 [expr {3.5 + 0.1 * $i + [$rng uniform 0 0.1]}]
}
proc finish {} {
    global samples sum squares empty monitor
    set m [expr {$sum/$samples}]
    puts [format "%.3f %.2f %.3f %.2f" $m [expr {$squares/$samples-$m*$m}] [expr {100.0*[$monitor set pdrops_]/[$monitor set parrivals_]}] [expr {100.0*$empty/$samples}]]
    exit 0
}
$ns at 100 finish
$ns run
