// The workloads of peers/bench.py in ns-3 (3.37): dumbbell WORKLOAD SECONDS
// Prints "packets arrivals drops utilization" of the bottleneck in the data direction.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <iostream>
#include <string>

using namespace ns3;

int main(int argc, char* argv[])
{
    if (argc != 3)
    {
        std::cerr << "dumbbell w1|w2|w2_red SECONDS\n";
        return 2;
    }
    const std::string workload = argv[1];
    const double seconds = std::stod(argv[2]);
    const bool first = workload == "w1";
    const bool red = workload != "w2";
    const uint32_t flows = 100;
    const uint32_t payload = first ? 1000 : 1460;
    const uint32_t window = 500 * payload;
    const double rate = first ? 10e6 : 500e6;

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(payload));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    // The buffers are the window: ns-3 fills a larger send buffer with real packets.
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window));

    NodeContainer sources;
    sources.Create(flows);
    NodeContainer routers;
    routers.Create(2);
    InternetStackHelper internet;
    internet.Install(sources);
    internet.Install(routers);

    // The queue under test is the queue disc; the device behind it holds a single packet.
    PointToPointHelper core;
    core.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
    core.SetChannelAttribute("Delay", TimeValue(MilliSeconds(first ? 30 : 5)));
    core.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
    NetDeviceContainer bottleneck = core.Install(routers);
    TrafficControlHelper control;
    if (red)
    {
        control.SetRootQueueDisc("ns3::RedQueueDisc",
                                 "MaxSize", StringValue(first ? "100p" : "1000p"),
                                 "MinTh", DoubleValue(first ? 15 : 100),
                                 "MaxTh", DoubleValue(first ? 45 : 300),
                                 "QW", DoubleValue(0.002),
                                 "LInterm", DoubleValue(10),
                                 "Gentle", BooleanValue(true),
                                 "MeanPktSize", UintegerValue(payload),
                                 "LinkBandwidth", DataRateValue(DataRate(static_cast<uint64_t>(rate))),
                                 "LinkDelay", TimeValue(MilliSeconds(first ? 30 : 5)));
    }
    else
    {
        control.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue("1000p"));
    }
    Ptr<QueueDisc> queue = control.Install(bottleneck.Get(0)).Get(0);
    // The way back never drops.
    TrafficControlHelper back;
    back.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue("1000000p"));
    back.Install(bottleneck.Get(1));

    Ipv4AddressHelper addresses;
    addresses.SetBase("10.1.0.0", "255.255.255.0");
    Ipv4InterfaceContainer coreAddresses = addresses.Assign(bottleneck);
    addresses.SetBase("10.2.0.0", "255.255.255.0");

    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", StringValue(first ? "100Mbps" : "10Mbps"));
    access.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1000000p"));
    for (uint32_t i = 0; i < flows; ++i)
    {
        const double delay = first ? 20.0 + 80.0 * i / (flows - 1) : (i < flows / 2 ? 15.0 : 95.0);
        access.SetChannelAttribute("Delay", TimeValue(MicroSeconds(static_cast<int64_t>(1000 * delay))));
        NetDeviceContainer devices = access.Install(sources.Get(i), routers.Get(0));
        addresses.Assign(devices);
        addresses.NewNetwork();

        const uint16_t port = 1000 + i;
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(coreAddresses.GetAddress(1), port));
        source.SetAttribute("SendSize", UintegerValue(payload));
        ApplicationContainer sending = source.Install(sources.Get(i));
        sending.Start(MilliSeconds(10 * i));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sink.Install(routers.Get(1)).Start(Seconds(0));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    const QueueDisc::Stats& stats = queue->GetStats();
    std::cout << stats.nTotalDequeuedPackets << ' ' << stats.nTotalReceivedPackets << ' ' << stats.nTotalDroppedPackets
              << ' ' << 8.0 * stats.nTotalDequeuedBytes / (rate * seconds) << '\n';
    Simulator::Destroy();
    return 0;
}
