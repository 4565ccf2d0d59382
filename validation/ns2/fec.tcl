# Topology C of Alemu's thesis: ns fec.tcl SCHEME N LOAD MINRTO SEED DURATION
# SCHEME is DropTail, RED or gRED, through which go N SACK flows and one Poisson source of LOAD times 500 kb/s; see README.md
# beside the numbers. Prints a line for each number: loss of the queue, of the source, of the flows, share of the runs of 1
# and 2 losses of the source and of the flows, mean, variance and share of the empty ones of samples of the queue every 10 ms,
# and for blocks of (16,1), (16,4) and (8,2) packets loss before, loss after and loss of data after correction.
lassign $argv scheme flows load minrto seed duration

set ns [new Simulator]
$defaultRNG seed $seed
set rng [new RNG]
$rng seed [expr {100000 + 7 * $seed}]
Queue set limit_ 100000
Agent/TCP set packetSize_ 1200
Agent/TCP set window_ 20
Agent/TCP set minrto_ $minrto
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set thresh_ 5
Queue/RED set maxthresh_ 15
Queue/RED set q_weight_ 0.002
Queue/RED set linterm_ 10
Queue/RED set mean_pktsize_ 500
Queue/RED set gentle_ [expr {$scheme eq "gRED"}]

set r1 [$ns node]
set r2 [$ns node]
$ns simplex-link $r1 $r2 10Mb 30ms [expr {$scheme eq "DropTail" ? "DropTail" : "RED"}]
$ns simplex-link $r2 $r1 10Mb 30ms DropTail
$ns queue-limit $r1 $r2 35
set trace [open [pid].trace w]
$ns trace-queue $r1 $r2 $trace
set monitor [$ns monitor-queue $r1 $r2 ""]
source [file join [file dirname [info script]] samples.tcl]
$ns at 0.01 sample

proc access {} {
    global ns rng r1
    set node [$ns node]
    $ns duplex-link $node $r1 100Mb [$rng uniform 0.020 0.100] DropTail
    return $node
}
set udp [new Agent/UDP]
$udp set fid_ 0
$ns attach-agent [access] $udp
set null [new Agent/Null]
$ns attach-agent $r2 $null
$ns connect $udp $null
set source [new Application/Traffic/Exponential]
$source set packetSize_ 573
$source set burst_time_ 0
$source set idle_time_ [expr {573 * 8 / (500e3 * $load)}]
$source set rate_ 10000Mb
$source attach-agent $udp
$ns at 0 "$source start"
for {set i 1} {$i <= $flows} {incr i} {
    set tcp [new Agent/TCP/Sack1]
    $tcp set fid_ $i
    $ns attach-agent [access] $tcp
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent $r2 $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [$rng uniform 0 1] "$ftp start"
}
$ns at $duration finish

# Losses of a flow's packets in their order, 1 for lost: counts of runs by their length.
proc runs {fates counts} {
    upvar $counts runs
    set run 0
    foreach lost $fates {
        if {$lost} {
            incr run
        } elseif {$run} {
            incr runs([expr {min($run, 3)}])
            set run 0
        }
    }
}

proc sum {list} {
    expr [join [linsert $list 0 0] +]
}

proc blocks {fates k h} {
    set n [expr {$k + $h}]
    lassign {0 0 0 0} blocks before after data
    for {set i 0} {$i + $n <= [llength $fates]} {incr i $n} {
        set block [lrange $fates $i [expr {$i + $n - 1}]]
        set lost [sum $block]
        incr blocks
        incr before $lost
        if {$lost > $h} {
            incr after $lost
            incr data [sum [lrange $block 0 [expr {$k - 1}]]]
        }
    }
    list [expr {double($before) / $n / $blocks}] [expr {double($after) / $n / $blocks}] [expr {double($data) / $k / $blocks}]
}

proc finish {} {
    global ns trace flows samples sum squares empty
    $ns flush-trace
    close $trace
    set file [open [pid].trace]
    while {[gets $file line] >= 0} {
        lassign $line event time from to kind size flags fid src dst seq id
        if {$event eq "+"} {
            lappend arrived($fid) $id
        } elseif {$event eq "d"} {
            set dropped($id) 1
        }
    }
    close $file
    file delete [pid].trace
    array set udp {1 0 2 0 3 0}
    array set tcp {1 0 2 0 3 0}
    set fates [list]
    lassign {0 0} lost all
    for {set fid 0} {$fid <= $flows} {incr fid} {
        set own [lmap id $arrived($fid) {info exists dropped($id)}]
        if {$fid == 0} {
            set fates $own
            runs $own udp
        } else {
            incr lost [sum $own]
            incr all [llength $own]
            runs $own tcp
        }
    }
    set share {{counts of} {upvar $counts c; expr {double($c($of)) / max(1, $c(1) + $c(2) + $c(3))}}}
    set all_lost [expr {$lost + [sum $fates]}]
    set told [list \
        loss [expr {double($all_lost) / ($all + [llength $fates])}] udp_loss [expr {double([sum $fates]) / [llength $fates]}] \
        tcp_loss [expr {double($lost) / $all}] udp_run1 [apply $share udp 1] udp_run2 [apply $share udp 2] \
        tcp_run1 [apply $share tcp 1] tcp_run2 [apply $share tcp 2] \
        q_mean [expr {$sum / $samples}] q_var [expr {$squares / $samples - pow($sum / $samples, 2)}] \
        p_empty [expr {double($empty) / $samples}]]
    foreach {k h} {16 1 16 4 8 2} {
        foreach name {plrbc plr plrdata} value [blocks $fates $k $h] {lappend told ${name}_${k}_$h $value}
    }
    foreach {name value} $told {puts "$name $value"}
    exit 0
}
$ns run
