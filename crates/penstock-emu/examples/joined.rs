//! Joins network namespaces by the links of a scenario, without Python: `validation/linux` runs it in a kernel of its own.
//!
//! `joined SCENARIO.json SEED NODE=NAMESPACE ...`: SCENARIO.json is a scenario in canonical form, and NAMESPACE the file of
//! a network namespace, which gets a TUN device with the address of the node. When the links run, a line is printed: their
//! time 0 on the monotonic clock in nanoseconds, and the addresses of the nodes. A line on the standard input stops them,
//! and the result is printed.

use penstock_emu::device::{Device, Tun};
use penstock_emu::namespace::Namespace;
use penstock_emu::{Limits, Network, Session, Validity};
use penstock_sim::{Scenario, ScenarioError, real_network};
use std::error::Error;
use std::io::stdin;
use std::net::Ipv4Addr;
use std::path::Path;

const MTU: u32 = 1500;
/// A longer frame than the MTU fits, so that it is noticed.
const LIMITS: Limits = Limits { frame: MTU as usize + 1, header: 0, memory: 64 << 20, overhead: 0 };

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(seed)) = (arguments.next(), arguments.next()) else {
        return Err("usage: joined SCENARIO.json SEED NODE=NAMESPACE ...".into());
    };
    let scenario: Scenario = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let (mut nodes, mut devices, mut addresses) = (Vec::new(), Vec::<Box<dyn Device>>::new(), Vec::new());
    for (host, argument) in (1..).zip(arguments) {
        let (node, namespace) = argument.split_once('=').ok_or("a namespace is NODE=FILE")?;
        let address = Ipv4Addr::new(10, 77, 0, host);
        let namespace = Namespace::open(Path::new(namespace))?;
        devices.push(Box::new(Tun::open(&namespace, "emu0", address, 24, MTU)?));
        nodes.push(node.to_owned());
        addresses.push(address);
    }
    let text = |errors: Vec<ScenarioError>| {
        errors.iter().map(|error| format!("{}: {}", error.path, error.message)).collect::<Vec<_>>().join("\n")
    };
    let plan = real_network(&scenario, seed.parse()?, &nodes).map_err(text)?;
    let mapped: Vec<_> = addresses.iter().map(|address| vec![address.to_ipv6_mapped().to_bits()]).collect();
    let network = Network::new(plan, &mapped, &LIMITS, false).map_err(text)?;
    let session = Session::start(network, devices, Validity::default())?;
    let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
    println!("{} {}", session.origin(), addresses.join(" "));
    stdin().read_line(&mut String::new())?;
    let outcome = session.stop().ok_or("the link panicked")?;
    println!("{}", serde_json::Value::from(outcome.result));
    Ok(())
}
