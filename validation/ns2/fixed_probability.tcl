# NewReno flows through ns-2's error model, before one infinite queue: ns fixed_probability.tcl SIGNAL FLOWS P WINDOW MINRTO SEED DURATION
# SIGNAL is drop or mark, WINDOW the receiver's limit in packets; after Chung and Claypool (2003), Figures 4 and 8. The
# mean queue is that from 50 s on; senders halve to whole packets, as in 2003.
lassign $argv signal flows p window minrto seed duration
set warmup 50.0
set ns [new Simulator]
$defaultRNG seed $seed
Queue set limit_ 10000000
Agent/TCP set packetSize_ 960
Agent/TCP set window_ $window
Agent/TCP set minrto_ $minrto
Agent/TCP set precisionReduce_ false
Agent/TCP set ecn_ [expr {$signal eq "mark"}]
foreach name {s r1 r2 d} {set $name [$ns node]}
$ns duplex-link $s $r1 1000Mb 10ms DropTail
$ns duplex-link $r1 $r2 20Mb 20ms DropTail
$ns duplex-link $r2 $d 1000Mb 10ms DropTail
set model [new ErrorModel]
$model unit pkt
$model set rate_ $p
$model ranvar [new RandomVariable/Uniform]
$model drop-target [new Agent/Null]
if {$signal eq "mark"} {$model set markecn_ true}
$ns lossmodel $model $r1 $r2
set rng [new RNG]
$rng seed [expr {100000 + 7 * $seed}]
for {set i 0} {$i < $flows} {incr i} {
    set source [new Agent/TCP/Newreno]
    set sink [new Agent/TCPSink]
    $ns attach-agent $s $source
    $ns attach-agent $d $sink
    $ns connect $source $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $source
    $ns at [$rng uniform 0 [expr {max($flows / 50.0, 1)}]] "$ftp start"
}
set monitor [$ns monitor-queue $r1 $r2 ""]
set integral [new Integrator]
$ns at $warmup {$monitor set-pkts-integrator $integral}
proc finish {} {
    global integral duration warmup ns
    $integral newpoint [$ns now] 0
    puts "q [expr {[$integral set sum_] / ($duration - $warmup)}]"
    exit 0
}
$ns at $duration finish
$ns run
