# What Brandauer et al. claim of everlasting flows: ns br_claims.tcl SCHEME FLOWS BUFFER MIN MAX MAX_P W_Q SEED
# SCHEME is TD, RED or GRED (gentle up to 2 MAX). Four hosts 20 to 80 ms away send FLOWS SACK flows, with packets of four sizes,
# and 1 Mb/s of UDP through a queue of BUFFER packets on 10 Mb/s; 200 s, of which 50 s are left out. Delays are in the forward
# direction only. Prints a line for each number: payload is without 54 bytes of headers, `in_a_row` the mean number of losses in
# a row, `over_k` the share of runs of more than k losses, delays and the queue are of the packets that wait.
lassign $argv scheme flows buffer min max max_p w_q seed
set warmup 50.0
set duration 200.0

set ns [new Simulator]
$defaultRNG seed $seed
set rng [new RNG]
$rng seed [expr {100000 + 7 * $seed}]
Queue set limit_ 1000000
Agent/TCP set minrto_ 1.0
Agent/TCP set window_ 10000
foreach {name value} [list bytes_ false queue_in_bytes_ false mean_pktsize_ 1514 thresh_ $min maxthresh_ $max \
        linterm_ [expr {1.0 / $max_p}] q_weight_ $w_q wait_ true gentle_ [expr {$scheme eq "GRED"}]] {
    Queue/RED set $name $value
}
foreach name {r0 r1 r2 r3} {set $name [$ns node]}
proc line {from to rate delay {kind DropTail}} {
    global ns
    $ns simplex-link $from $to $rate $delay $kind
    $ns simplex-link $to $from $rate 0ms DropTail
}
line $r0 $r1 100Mb 0ms
line $r1 $r2 10Mb 100ms [expr {$scheme eq "TD" ? "DropTail" : "RED"}]
line $r2 $r3 100Mb 0ms
# ns-2's DropTail holds one packet less than its limit.
$ns queue-limit $r1 $r2 [expr {$scheme eq "TD" ? $buffer + 1 : $buffer}]
for {set i 0} {$i < 4} {incr i} {
    set host($i) [$ns node]
    set to($i) [$ns node]
    line $host($i) $r0 100Mb [expr {20 * ($i + 1)}]ms
    line $r3 $to($i) 100Mb 0ms
    set udp [new Agent/UDP]
    $udp set fid_ 0
    $ns attach-agent $host($i) $udp
    set null [new Agent/Null]
    $ns attach-agent $to($i) $null
    $ns connect $udp $null
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ 573
    $cbr set rate_ 250kb
    $cbr attach-agent $udp
    $ns at [$rng uniform 0 [expr {573 * 8 / 250e3}]] "$cbr start"
}
# Flows of each size go round the hosts, as in penstock's groups of sizes.
set n 0
foreach size {1400 1476 1552 1628} {
    for {set i 0} {$i < $flows / 4} {incr i} {
        set tcp($n) [new Agent/TCP/Sack1]
        $tcp($n) set packetSize_ [expr {$size - 40}]
        $tcp($n) set fid_ 1
        set payload($n) [expr {$size - 54}]
        set sink [new Agent/TCPSink/Sack1]
        $ns attach-agent $host([expr {$i % 4}]) $tcp($n)
        $ns attach-agent $to([expr {$i % 4}]) $sink
        $ns connect $tcp($n) $sink
        set ftp [new Application/FTP]
        $ftp attach-agent $tcp($n)
        $ns at [$rng uniform 0 10] "$ftp start"
        incr n
    }
}
set monitor [$ns monitor-queue $r1 $r2 ""]
set trace [open [pid].trace w]
$ns trace-queue $r1 $r2 $trace
set delays [new Samples]
$monitor set-delay-samples $delays
proc begin {} {
    global ns monitor tcp n base delays integral
    for {set i 0} {$i < $n} {incr i} {set base($i) [$tcp($i) set ack_]}
    $delays reset
    set integral [$monitor get-pkts-integrator]
    $integral newpoint [$ns now] [$monitor set pkts_]
    set base(sum) [$integral set sum_]
}
proc finish {} {
    global ns monitor tcp n base delays integral trace payload warmup duration
    set span [expr {$duration - $warmup}]
    $integral newpoint [$ns now] [$monitor set pkts_]
    set all 0.0
    for {set i 0} {$i < $n} {incr i} {set all [expr {$all + 8.0 * $payload($i) * ([$tcp($i) set ack_] - $base($i))}]}
    puts "goodput_bps [expr {$all / $span}]"
    puts "q_mean_exact [expr {([$integral set sum_] - $base(sum)) / $span}]"
    puts "delay_s [$delays mean]"
    puts "delay_sd_s [expr {sqrt([$delays variance])}]"
    $ns flush-trace
    close $trace
    losses
    exit 0
}
proc losses {} {
    global warmup
    set file [open [pid].trace]
    while {[gets $file line] >= 0} {
        lassign $line event time from to kind size flags fid src dst seq id
        if {$time < $warmup} continue
        if {$event eq "+"} {
            lappend order $id
            set flow($id) $fid
        } elseif {$event eq "d"} {
            set dropped($id) 1
        }
    }
    close $file
    file delete [pid].trace
    lassign {0 0 0 0 0} udp udp_lost lost run runs
    array set over {1 0 5 0 10 0 20 0}
    foreach id [concat $order none] {
        set gone [info exists dropped($id)]
        if {$id ne "none" && $flow($id) == 0} {
            incr udp
            incr udp_lost $gone
        }
        if {$gone} {
            incr run
            incr lost
        } elseif {$run} {
            incr runs
            foreach k [array names over] {if {$run > $k} {incr over($k)}}
            set run 0
        }
    }
    puts "udp_loss [expr {double($udp_lost) / $udp}]"
    puts "loss [expr {double($lost) / [llength $order]}]"
    puts "in_a_row [expr {double($lost) / max(1, $runs)}]"
    foreach k {1 5 10 20} {puts "over_$k [expr {double($over($k)) / max(1, $runs)}]"}
}
$ns at $warmup begin
$ns at $duration finish
$ns run
