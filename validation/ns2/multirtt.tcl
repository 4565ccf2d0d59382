# Two round-trip times through one queue of ns-2: ns multirtt.tcl SCHEME B SEED
# 100 Reno flows of 1500-byte packets, each with its own access link of 10 Mb/s, 20 ms (even) or 100 ms (odd); one queue
# of B packets on 500 Mb/s. Statistics from 20 s to 100 s, as README.md beside the numbers says. Seeds 1 to 3 give the
# numbers of three seeds that the reference began with.
lassign $argv scheme limit seed
set warmup 20.0
set duration 100.0
set flows 100
set fair_share 5e6
set bytes 1500

set ns [new Simulator]
$defaultRNG seed $seed
set rng [new RNG]
$rng seed [expr {100000 + 7 * $seed}]

Queue set limit_ $limit
Agent/TCP set minrto_ 1.0
Agent/TCP set window_ 500
Agent/TCP set packetSize_ 1460
Queue/DRR set buckets_ $flows
Queue/DRR set blimit_ [expr {$limit * $bytes}]
Queue/DRR set quantum_ $bytes
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ $bytes
Queue/RED set thresh_ [expr {$limit / 4.0}]
Queue/RED set maxthresh_ [expr {3 * $limit / 4.0}]
Queue/RED set linterm_ 10
Queue/RED set q_weight_ 0.002
Queue/RED set wait_ true
Queue/RED set gentle_ [expr {$scheme eq "gRED"}]

set r1 [$ns node]
set r2 [$ns node]
$ns simplex-link $r1 $r2 500Mb 0ms [expr {$scheme eq "gRED" ? "RED" : $scheme}]
$ns simplex-link $r2 $r1 500Mb 0ms DropTail
[[$ns link $r2 $r1] queue] set limit_ 1000000
for {set i 0} {$i < $flows} {incr i} {
    # ns-2's DRR finds the bucket by the address: this leaves no two flows in one.
    set node [$ns node]
    while {[$node id] % 16 == 0} {set node [$ns node]}
    $ns duplex-link $node $r1 10Mb [expr {$i % 2 == 0 ? "20ms" : "100ms"}] DropTail
    [[$ns link $node $r1] queue] set limit_ 1000000
    [[$ns link $r1 $node] queue] set limit_ 1000000
    set tcp($i) [new Agent/TCP/Reno]
    set sink [new Agent/TCPSink]
    $ns attach-agent $node $tcp($i)
    $ns attach-agent $r2 $sink
    $ns connect $tcp($i) $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    $ns at [$rng uniform 0 1] "$ftp start"
}
set monitor [$ns monitor-queue $r1 $r2 ""]

source [file join [file dirname [info script]] samples.tcl]
proc integral {} {
    global ns monitor
    set integrator [$monitor get-pkts-integrator]
    $integrator newpoint [$ns now] [$monitor set pkts_]
    return [$integrator set sum_]
}
proc begin {} {
    global monitor tcp flows base
    foreach counter {parrivals_ pdrops_ pdepartures_} {set base($counter) [$monitor set $counter]}
    for {set i 0} {$i < $flows} {incr i} {set base($i) [$tcp($i) set ack_]}
    set base(integral) [integral]
}
proc finish {} {
    global monitor tcp flows base samples sum squares empty warmup duration fair_share bytes
    sample
    set time [expr {$duration - $warmup}]
    foreach counter {parrivals_ pdrops_ pdepartures_} {
        set during($counter) [expr {[$monitor set $counter] - $base($counter)}]
    }
    set mean [expr {$sum / $samples}]
    puts "st.q_mean_exact [expr {([integral] - $base(integral)) / $time}]"
    puts "st.q_var [expr {$squares / $samples - $mean * $mean}]"
    puts "st.p_empty [expr {double($empty) / $samples}]"
    puts "st.loss [expr {double($during(pdrops_)) / $during(parrivals_)}]"
    puts "st.util [expr {$during(pdepartures_) * $bytes * 8.0 / ($flows * $fair_share * $time)}]"
    set all 0.0
    set of_squares 0.0
    array set class {0 0.0 1 0.0}
    for {set i 0} {$i < $flows} {incr i} {
        set goodput [expr {([$tcp($i) set ack_] - $base($i)) * $bytes * 8.0 / $time}]
        set all [expr {$all + $goodput}]
        set of_squares [expr {$of_squares + $goodput * $goodput}]
        set class([expr {$i % 2}]) [expr {$class([expr {$i % 2}]) + $goodput}]
    }
    puts "st.jain [expr {$all * $all / ($flows * $of_squares)}]"
    puts "st.short40_pct [expr {100 * $class(0) / ($flows / 2) / $fair_share}]"
    puts "st.long200_pct [expr {100 * $class(1) / ($flows / 2) / $fair_share}]"
    exit 0
}
$ns at $warmup begin
$ns at [expr {$warmup + 0.01}] sample
$ns at $duration finish
$ns run
