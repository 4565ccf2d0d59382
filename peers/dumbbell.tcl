# The workloads of peers/bench.py in ns-2: ns dumbbell.tcl WORKLOAD SECONDS
# Prints "packets arrivals drops utilization" of the bottleneck in the data direction.

set workload [lindex $argv 0]
set seconds [lindex $argv 1]

# Without this every packet carries the headers of all protocols, and ns-2 looks three times heavier than it is.
remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]

Agent/TCP set window_ 500
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set gentle_ true
Queue/RED set q_weight_ 0.002
Queue/RED set linterm_ 10

set flows 100
if {$workload == "w1"} {
    set payload 1000; set access 100Mb; set rate 10e6; set delay 30ms; set limit 100; set queue RED
    Queue/RED set thresh_ 15
    Queue/RED set maxthresh_ 45
} else {
    # DropTail holds one packet less than its limit.
    set payload 1460; set access 10Mb; set rate 500e6; set delay 5ms; set limit 1001; set queue DropTail
    if {$workload == "w2_red"} {
        set queue RED; set limit 1000
        Queue/RED set thresh_ 100
        Queue/RED set maxthresh_ 300
    }
}
Queue/RED set mean_pktsize_ $payload

proc access_delay {i} {
    global workload flows
    if {$workload == "w1"} { return [expr 20.0 + 80.0 * $i / ($flows - 1)]ms }
    return [expr $i < $flows / 2 ? 15 : 95]ms
}

set r1 [$ns node]
set r2 [$ns node]
$ns simplex-link $r2 $r1 $rate $delay DropTail
$ns queue-limit $r2 $r1 1000000
$ns simplex-link $r1 $r2 $rate $delay $queue
$ns queue-limit $r1 $r2 $limit
set monitor [$ns monitor-queue $r1 $r2 ""]

for {set i 0} {$i < $flows} {incr i} {
    set source [$ns node]
    $ns duplex-link $source $r1 $access [access_delay $i] DropTail
    $ns queue-limit $source $r1 1000000
    $ns queue-limit $r1 $source 1000000
    set tcp [new Agent/TCP/Sack1]
    set sink [new Agent/TCPSink/Sack1]
    $tcp set packetSize_ $payload
    $tcp set fid_ $i
    $ns attach-agent $source $tcp
    $ns attach-agent $r2 $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [expr 0.01 * $i] "$ftp start"
}

proc finish {} {
    global monitor rate seconds payload
    set packets [$monitor set pdepartures_]
    # From packets, for the byte counter of 32 bits wraps.
    set utilization [expr $packets * ($payload + 40.0) * 8 / ($rate * $seconds)]
    puts "$packets [$monitor set parrivals_] [$monitor set pdrops_] $utilization"
    exit 0
}
$ns at $seconds finish
$ns run
