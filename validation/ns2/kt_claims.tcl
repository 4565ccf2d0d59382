# What Kantawala and Turner claim of long flows: ns kt_claims.tcl NETWORK SCHEME B QUEUES TCP SEED
# NETWORK is trips, 50 flows 20 ms and 50 flows 100 ms away from one queue, or hops, 50 flows over three hops of 50 ms and 50
# over each alone; SCHEME is DropTail, gRED or DRR, on 500 Mb/s, with B packets of 1500 bytes; DRR has QUEUES queues, each with
# as many flows of either kind; TCP is Reno or Tahoe. 60 s, of which 10 s are left out. Prints a line for each number: of the
# first queue, and goodput of slow flows (long round trip, or three hops) and fast ones (of the first hop) in percent of
# their fair share of 5 Mb/s.
lassign $argv network scheme limit queues kind seed
set warmup 10.0
set duration 60.0
set half 50
set bytes 1500

set ns [new Simulator]
$defaultRNG seed $seed
set rng [new RNG]
$rng seed [expr {100000 + 7 * $seed}]
Queue set limit_ 1000000
foreach {name value} {minrto_ 1.0 window_ 100000 packetSize_ 1460 windowInit_ 1} {Agent/TCP set $name $value}
foreach {name value} [list buckets_ $queues blimit_ [expr {$limit * $bytes}] quantum_ $bytes] {Queue/DRR set $name $value}
foreach {name value} [list bytes_ false queue_in_bytes_ false mean_pktsize_ $bytes thresh_ [expr {$limit / 4.0}] \
        maxthresh_ [expr {3 * $limit / 4.0}] linterm_ 10 q_weight_ 0.002 wait_ true gentle_ true] {
    Queue/RED set $name $value
}
set discipline [expr {$scheme eq "gRED" ? "RED" : $scheme}]
# ns-2's DropTail holds one packet less than its limit.
set room [expr {$scheme eq "DropTail" ? $limit + 1 : $limit}]
set hops [expr {$network eq "hops" ? 3 : 1}]
set router(0) [$ns node]
for {set i 0} {$i < $hops} {incr i} {
    set router([expr {$i + 1}]) [$ns node]
    set from $router($i)
    set to $router([expr {$i + 1}])
    set delay [expr {$network eq "hops" ? "50ms" : "0ms"}]
    $ns simplex-link $from $to 500Mb $delay $discipline
    $ns simplex-link $to $from 500Mb $delay DropTail
    $ns queue-limit $from $to $room
}
set n 0
proc flow {at to delay class} {
    global ns rng n kind tcp of
    # ns-2's DRR finds the queue by the address: this makes neighbours of all flows.
    set node [$ns node]
    while {[$node id] % 16 == 0} {set node [$ns node]}
    $ns duplex-link $node $at 10Mb $delay DropTail
    set tcp($n) [expr {$kind eq "Tahoe" ? [new Agent/TCP] : [new Agent/TCP/Reno]}]
    set of($n) $class
    set sink [new Agent/TCPSink]
    $ns attach-agent $node $tcp($n)
    $ns attach-agent $to $sink
    $ns connect $tcp($n) $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($n)
    $ns at [$rng uniform 0 5] "$ftp start"
    incr n
}
if {$network eq "trips"} {
    for {set i 0} {$i < 2 * $half} {incr i} {
        # Neighbours go to neighbouring queues: with fewer queues than flows the kinds change once round.
        set slow [expr {($queues < 2 * $half ? $i / $queues : $i) % 2}]
        flow $router(0) $router(1) [expr {$slow ? "100ms" : "20ms"}] [expr {$slow ? "slow" : "fast"}]
    }
} else {
    for {set i 0} {$i < $half} {incr i} {
        flow $router(0) $router(3) 0ms slow
        flow $router(0) $router(1) 0ms fast
    }
    foreach hop {1 2} {
        for {set i 0} {$i < $half} {incr i} {flow $router($hop) $router([expr {$hop + 1}]) 0ms cross}
    }
}
set monitor [$ns monitor-queue $router(0) $router(1) ""]
proc integral {} {
    global ns monitor
    set integrator [$monitor get-pkts-integrator]
    $integrator newpoint [$ns now] [$monitor set pkts_]
    return [$integrator set sum_]
}
proc begin {} {
    global monitor tcp n base
    foreach counter {parrivals_ pdrops_ pdepartures_} {set base($counter) [$monitor set $counter]}
    for {set i 0} {$i < $n} {incr i} {set base($i) [$tcp($i) set ack_]}
    set base(integral) [integral]
}
proc finish {} {
    global monitor tcp n base of warmup duration bytes half
    set time [expr {$duration - $warmup}]
    foreach counter {parrivals_ pdrops_ pdepartures_} {
        set during($counter) [expr {[$monitor set $counter] - $base($counter)}]
    }
    puts "q_mean_exact [expr {([integral] - $base(integral)) / $time}]"
    puts "loss [expr {double($during(pdrops_)) / $during(parrivals_)}]"
    puts "util [expr {$during(pdepartures_) * $bytes * 8.0 / (500e6 * $time)}]"
    array set sum {slow 0.0 fast 0.0 cross 0.0}
    for {set i 0} {$i < $n} {incr i} {set sum($of($i)) [expr {$sum($of($i)) + [$tcp($i) set ack_] - $base($i)}]}
    foreach class {slow fast} {puts "${class}_pct [expr {100 * $sum($class) * $bytes * 8.0 / $time / $half / 5e6}]"}
    exit 0
}
$ns at $warmup begin
$ns at $duration finish
$ns run
