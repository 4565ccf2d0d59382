# 16 metered TCP flows into ns-2's WRED: ns wred.tcl TCP CIR SEED DURATION [MINRTO TICK]
# TCP is Reno or Sack1; each of the 16 flows has a TSW2CM meter with CIR / 16 Mb/s, 0 for none in profile. Two hosts
# send to eight receivers; statistics from 10 s on: see README.md beside the numbers.
lassign [concat $argv [lrange {1.0 0.01} [expr {[llength $argv] - 4}] end]] tcp cir seed duration minrto tick
set warmup 10.0

set ns [new Simulator]
$defaultRNG seed $seed
set rng [new RNG]
$rng seed [expr {100000 + 7 * $seed}]
Queue set limit_ 100000
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 1000000
Agent/TCP set minrto_ $minrto
Agent/TCP set tcpTick_ $tick

set r4 [$ns node]
set r3 [$ns node]
$ns simplex-link $r4 $r3 10Mb 10ms dsRED/core
$ns simplex-link $r3 $r4 10Mb 10ms DropTail
set queue [[$ns link $r4 $r3] queue]
$queue meanPktSize 1000
$queue set numQueues_ 1
$queue setNumPrec 2
$queue addPHBEntry 10 0 0
$queue addPHBEntry 11 0 1
$queue addPHBEntry 0 0 1
$queue setMREDMode WRED 0
$queue configQ 0 0 20000 30000 0.1
$queue configQ 0 1 15 45 0.1
set monitor [$ns monitor-queue $r4 $r3 ""]

foreach j {0 1 2 3 4 5 6 7} {
    set receiver($j) [$ns node]
    $ns duplex-link $r3 $receiver($j) 10Mb [expr {5 + 5 * $j}]ms DropTail
}
set flows 0
foreach h {0 1} {
    set host($h) [$ns node]
    set edge($h) [$ns node]
    $ns duplex-link $host($h) $edge($h) 100Mb 1ms DropTail
    $ns simplex-link $edge($h) $r4 100Mb 4ms dsRED/edge
    $ns simplex-link $r4 $edge($h) 100Mb 4ms DropTail
    set meters [[$ns link $edge($h) $r4] queue]
    $meters meanPktSize 1000
    $meters set numQueues_ 1
    $meters setNumPrec 2
    $meters addPHBEntry 10 0 0
    $meters addPHBEntry 11 0 1
    $meters configQ 0 0 20000 30000 0.1
    $meters configQ 0 1 20000 30000 0.1
    $meters addPolicerEntry TSW2CM 10 11
    foreach j {0 1 2 3 4 5 6 7} {
        $meters addPolicyEntry [$host($h) id] [$receiver($j) id] TSW2CM 10 [expr {$cir * 1e6 / 16}]
        set i $flows
        set source($i) [new Agent/TCP/$tcp]
        set sink [expr {$tcp eq "Sack1" ? [new Agent/TCPSink/Sack1] : [new Agent/TCPSink]}]
        $ns attach-agent $host($h) $source($i)
        $ns attach-agent $receiver($j) $sink
        $ns connect $source($i) $sink
        set ftp($i) [new Application/FTP]
        $ftp($i) attach-agent $source($i)
        $ns at [$rng uniform 0 5] "$ftp($i) start"
        incr flows
    }
}
source [file join [file dirname [info script]] samples.tcl]
proc begin {} {
    global monitor base source acked flows integral
    foreach what {parrivals_ pdrops_ bdepartures_} {set base($what) [$monitor set $what]}
    for {set i 0} {$i < $flows} {incr i} {set acked($i) [$source($i) set ack_]}
    set integral [new Integrator]
    $monitor set-pkts-integrator $integral
    sample
}
proc since {what} {
    global monitor base
    return [expr {[$monitor set $what] - $base($what)}]
}
proc finish {} {
    global source acked flows samples sum squares empty duration warmup integral ns queue above watched
    set span [expr {$duration - $warmup}]
    set mean [expr {$sum / $samples}]
    $integral newpoint [$ns now] 0
    puts "q_mean_exact [expr {[$integral set sum_] / $span}]"
    puts "q_mean $mean"
    puts "q_var [expr {$squares / $samples - $mean * $mean}]"
    puts "p_empty [expr {double($empty) / $samples}]"
    puts "loss [expr {double([since pdrops_]) / [since parrivals_]}]"
    puts "util [expr {[since bdepartures_] * 8.0 / (10e6 * $span)}]"
    set all 0.0
    set square 0.0
    for {set i 0} {$i < $flows} {incr i} {
        set got [expr {[$source($i) set ack_] - $acked($i)}]
        set all [expr {$all + $got}]
        set square [expr {$square + double($got) * $got}]
    }
    puts "above [expr {double($above) / $watched}]"
    $queue printStats
    puts "goodput [expr {$all * 8000 / $span}]"
    puts "jain [expr {$all * $all / ($flows * $square)}]"
    exit 0
}
# getAverage adds the averages of both precedences, each of which is that of all packets.
proc watch {} {
    global ns queue watched above
    incr watched
    if {[$queue getAverage 0] / 2 > 45} {incr above}
    $ns at [expr {[$ns now] + 0.05}] watch
}
set watched 0
set above 0
$ns at $warmup watch
$ns at $warmup begin
$ns at $duration finish
$ns run
