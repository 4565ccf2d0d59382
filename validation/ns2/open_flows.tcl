# Several open-loop flows into one queue of ns-2: ns open_flows.tcl SCHEME MIX KIND RHO SEED DURATION
# MIX is "equal" (1000-byte packets) or "mixed" (250, 500, 1000 and 1500 bytes); flow i offers RHO x its part of
# 1.5 Mb/s, parts 0.1, 0.2, 0.3 and 0.4. Statistics from 50 s on: see README.md beside the numbers.
lassign $argv scheme mix kind rho seed duration
set warmup 50.0
set rate 1.5e6
set parts {0.1 0.2 0.3 0.4}
set sizes [expr {$mix eq "equal" ? {1000 1000 1000 1000} : {250 500 1000 1500}}]
set limit 35

set ns [new Simulator]
$defaultRNG seed $seed
set r [$ns node]
set d [$ns node]
set rng [new RNG]
$rng seed [expr {100000 + 7 * $seed}]

Queue set limit_ $limit
proc red_family {class} {
    $class set bytes_ false
    $class set queue_in_bytes_ false
    $class set mean_pktsize_ 1000
    catch {$class set q_weight_ 0.002}
}
set type $scheme
switch $scheme {
    SFQ {Queue/SFQ set maxqueue_ $limit; Queue/SFQ set buckets_ 16}
    DRR {Queue/DRR set buckets_ 10; Queue/DRR set blimit_ [expr {$limit * 1000}]; Queue/DRR set quantum_ 500}
    RIO {set type RED/RIO; red_family Queue/RED; red_family Queue/RED/RIO; Queue/RED/RIO set priority_method_ 1}
    WRED {set type dsRED/core}
    CBQ {set type CBQ}
    WRR {set type CBQ/WRR}
}
$ns simplex-link $r $d $rate 20ms $type
$ns simplex-link $d $r $rate 20ms DropTail
set link [$ns link $r $d]
set queue [$link queue]
if {$scheme eq "WRED"} {
    $queue meanPktSize 1000
    $queue set numQueues_ 1
    $queue setNumPrec 2
    $queue addPHBEntry 10 0 0
    $queue addPHBEntry 11 0 1
    $queue addPHBEntry 0 0 1
    $queue setMREDMode WRED 0
    $queue configQ 0 0 2000 3000 0.1
    $queue configQ 0 1 5 15 0.1
}
if {$scheme in {CBQ WRR}} {
    set top [new CBQClass]
    $top setparams none 0 0.98 auto 8 2 0
    $link insert $top
    foreach i {0 1 2 3} share {0.4 0.3 0.2 0.08} {
        set class [new CBQClass]
        $class setparams $top true $share auto 1 1 0
        set inner [new Queue/DropTail]
        $inner set limit_ $limit
        $class install-queue $inner
        $link insert $class
        $link bind $class $i
    }
}
if {$scheme eq "FQ"} {$ns trace-queue $r $d [open /dev/null w]}
set monitor [$ns monitor-queue $r $d ""]

foreach i {0 1 2 3} part $parts size $sizes {
    set node [$ns node]
    $ns simplex-link $node $r 1000Mb 0ms DropTail
    $ns simplex-link $r $node 1000Mb 0ms DropTail
    [[$ns link $node $r] queue] set limit_ 1000000
    set udp($i) [new Agent/UDP]
    $udp($i) set packetSize_ 2000
    # ns-2's RIO, told to go by the flow, takes flow 0 for Out and all others for In.
    $udp($i) set fid_ [expr {$scheme eq "RIO" ? $i < 2 : $i}]
    $ns attach-agent $node $udp($i)
    set sink($i) [new Agent/LossMonitor]
    $ns attach-agent $d $sink($i)
    $ns connect $udp($i) $sink($i)
    set gap($i) [expr {$size * 8.0 / ($rate * $rho * $part)}]
    set sent($i) 0
    set sizeof($i) $size
    $ns at [$rng uniform 0 $gap($i)] "emit $i"
}
proc emit {i} {
    global ns rng udp gap sent sizeof kind
    $udp($i) send $sizeof($i)
    incr sent($i)
    set wait [expr {$kind eq "cbr" ? $gap($i) : [$rng exponential $gap($i)]}]
    $ns at [expr {[$ns now] + $wait}] "emit $i"
}
source [file join [file dirname [info script]] samples.tcl]
proc begin {} {
    global sink sent base from
    foreach i {0 1 2 3} {set base($i) [$sink($i) set npkts_]; set from($i) $sent($i)}
    sample
}
proc finish {} {
    global sink sent base from sizeof samples sum squares empty duration warmup rate
    set mean [expr {$sum / $samples}]
    puts "q_mean $mean"
    puts "q_var [expr {$squares / $samples - $mean * $mean}]"
    puts "p_empty [expr {double($empty) / $samples}]"
    set lost 0
    set all 0
    set bytes 0
    foreach i {0 1 2 3} {
        set got($i) [expr {[$sink($i) set npkts_] - $base($i)}]
        set offered [expr {$sent($i) - $from($i)}]
        puts "loss$i [expr {1 - double($got($i)) / $offered}]"
        incr lost [expr {$offered - $got($i)}]
        incr all $offered
        incr bytes [expr {$got($i) * $sizeof($i)}]
    }
    puts "loss [expr {double($lost) / $all}]"
    puts "util [expr {$bytes * 8.0 / ($rate * ($duration - $warmup))}]"
    exit 0
}
$ns at $warmup begin
$ns at $duration finish
$ns run
