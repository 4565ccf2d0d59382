# Topology A of Alemu's thesis: RED with $min and $max on both ends of the congested link, Floyd's scheme if $adaptive is 1,
# $flows in all, those beyond three from $start on, and receivers that wait 100 ms for a second packet if $delayed is 1.
# What need not be set: $kind, another queue than RED, $bases, when the first three start, $stop, when the others end, $base,
# the packets of the first three in bytes, $mean, the mean packet of RED, and $reverse: if closed, RED
# drops packets of the other direction as soon as two wait.
foreach {name value} {kind RED bases {0.0 1.0 3.0} stop {} base 1600 mean 1000 reverse open} {
    if {![info exists $name]} {set $name $value}
}
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
Queue/RED set mean_pktsize_ $mean
Queue/RED set q_weight_ [expr {1 - exp(-1 / (187.5 * 1000 / $mean))}]
Queue/RED set gentle_ true
Queue/RED set adaptive_ $adaptive
foreach name {s1 s2 r1 r2 s3} {set $name [$ns node]}
$ns duplex-link $s1 $r1 10Mb 2ms DropTail
$ns duplex-link $s2 $r1 10Mb 3ms DropTail
$ns duplex-link $r2 $s3 10Mb 4ms DropTail
$ns duplex-link $r1 $r2 1.5Mb 20ms $kind
$ns queue-limit $r1 $r2 35
$ns queue-limit $r2 $r1 35
if {$reverse eq "closed"} {
    foreach {name value} {thresh_ 1e-6 maxthresh_ 2e-6} {[[$ns link $r2 $r1] queue] set $name $value}
}
set monitor [$ns monitor-queue $r1 $r2 ""]
source [file join [file dirname [info script]] samples.tcl]
if {![info exists warmup]} {$ns at 0.01 sample}
proc transfer {from to size window at {stop {}}} {
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
    if {$stop ne ""} {$ns at $stop "$ftp stop"}
}
transfer $s1 $s3 $base 15 [lindex $bases 0]
transfer $s3 $s1 $base 15 [lindex $bases 1]
transfer $s2 $s3 $base 15 [lindex $bases 2]
for {set i 0} {$i < $flows - 3} {incr i} {
    transfer $s1 $s3 1000 20 [expr {$start + 0.1 * $i + [$rng uniform 0 0.1]}] $stop
}
