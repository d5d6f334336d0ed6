//! Finds which processes listen, on one port or on all.

use crate::tool::prelude::*;

/// Rows shown.
const ROWS_MAX: usize = 200;
/// A longer command line is cut.
const COMMAND_BYTES_MAX: usize = 160;

tool! {
    /// Find which processes listen on TCP or UDP ports, with their ids.
    effect: Read;
    subject: Words => |args| args.port.map(|port| port.0.to_string()).into_iter().collect();
    needs: [Processes];
    struct Args {
        /// Port; all ports if left out.
        port: Option<Within<1, 65_535>>,
    }
    examples: [
        object! { "port": 8080_u32 } => "what listens on port 8080",
        object! { "port": 3000_u32 } => "which process is using port 3000, address in use",
        object! {} => "show all listening ports",
    ];
}

fn run(args: Args, _plan: Plan, call: &Call, processes: Processes) -> Outcome {
    let mut listening = processes
        .listening()
        .map_err(|error| Failure::io("cannot read the table of sockets", &error))?;
    call.check()?;
    if let Some(port) = args.port {
        listening.retain(|socket| i64::from(socket.port) == port.0);
    }
    listening.sort_by_key(|socket| {
        (
            socket.port,
            socket.protocol == Protocol::Udp,
            socket.address,
        )
    });
    if listening.is_empty() {
        return Ok(match args.port {
            Some(port) => format!("nothing listens on port {}", port.0),
            None => "nothing listens on any port".to_owned(),
        }
        .into());
    }
    let mut rows = Vec::new();
    for socket in listening.iter().take(ROWS_MAX) {
        call.check()?;
        rows.push(row(socket, &processes));
    }
    if ROWS_MAX < listening.len() {
        rows.push(format!(
            "({} more; name a port)",
            listening.len() - ROWS_MAX
        ));
    }
    Ok(rows.join("\n").into())
}

fn row(socket: &Listening, processes: &Processes) -> String {
    let protocol = match socket.protocol {
        Protocol::Tcp => "tcp",
        Protocol::Udp => "udp",
    };
    let address = std::net::SocketAddr::new(socket.address, socket.port);
    let owners: Vec<String> = socket
        .pids
        .iter()
        .map(|&pid| match processes.find(pid) {
            Ok(Some(process)) => {
                let command = crate::text::one_line(&process.command, COMMAND_BYTES_MAX);
                format!("{} (pid {pid}): {command}", process.name)
            }
            _ => format!("pid {pid}, which ended"),
        })
        .collect();
    match owners.as_slice() {
        [] => format!(
            "{protocol} {address}  a process of user {} that cannot be seen from here",
            socket.user
        ),
        owners => format!("{protocol} {address}  {}", owners.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    use crate::tool::Verdict;
    use crate::tool::prelude::*;
    use crate::tool::trial::{Trial, check, check_cancels};
    use crate::world::fake::Fake;

    fn process(pid: u32, name: &str, command: &str) -> Process {
        Process {
            pid,
            parent: 1,
            name: name.to_owned(),
            command: command.to_owned(),
            started_ticks: 7,
            started: 0,
            user: 1,
        }
    }

    fn socket(
        protocol: Protocol,
        address: impl Into<IpAddr>,
        port: u16,
        pids: &[u32],
    ) -> Listening {
        Listening {
            protocol,
            address: address.into(),
            port,
            pids: pids.to_vec(),
            user: 33,
        }
    }

    fn build(fake: &Fake) {
        fake.add_process(process(20, "node", "node\nserver.js"))
            .add_process(process(21, "node", "worker"));
        fake.add_listening(socket(Protocol::Udp, Ipv4Addr::LOCALHOST, 53, &[]));
        fake.add_listening(socket(
            Protocol::Tcp,
            Ipv6Addr::UNSPECIFIED,
            3000,
            &[20, 21],
        ));
        fake.add_listening(socket(Protocol::Tcp, Ipv4Addr::UNSPECIFIED, 3000, &[99]));
        fake.add_listening(socket(Protocol::Tcp, Ipv4Addr::LOCALHOST, 53, &[20]));
    }

    #[test]
    fn sockets_come_by_port_with_their_owners() {
        let tcp = "tcp 127.0.0.1:53  node (pid 20): node server.js";
        let udp = "udp 127.0.0.1:53  a process of user 33 that cannot be seen from here";
        let web = "tcp 0.0.0.0:3000  pid 99, which ended\ntcp [::]:3000  node (pid 20): node server.js; node (pid 21): worker";
        check(
            build,
            "port_status",
            "{}",
            Verdict::Done,
            &format!("{tcp}\n{udp}\n{web}"),
        );
        check(
            build,
            "port_status",
            r#"{"port": 3000}"#,
            Verdict::Done,
            web,
        );
        check(
            build,
            "port_status",
            r#"{"port": 3001}"#,
            Verdict::Done,
            "nothing listens on port 3001",
        );
        check(
            |_| (),
            "port_status",
            "{}",
            Verdict::Done,
            "nothing listens on any port",
        );
        let mut trial = Trial::new(build);
        for port in ["0", "65536", "\"80\""] {
            assert_eq!(
                trial
                    .call("port_status", &format!(r#"{{"port": {port}}}"#))
                    .verdict,
                Verdict::Invalid
            );
        }
        assert!(trial.questions.is_empty());
    }

    #[test]
    fn many_sockets_are_cut() {
        let many = |fake: &Fake| {
            (1..=250).for_each(|port| {
                _ = fake.add_listening(socket(Protocol::Tcp, Ipv4Addr::LOCALHOST, port, &[]));
            });
        };
        let reply = Trial::new(many).call("port_status", "{}");
        assert!(
            reply.text.ends_with("\n(50 more; name a port)"),
            "{}",
            reply.text
        );
    }

    #[test]
    fn a_cancel_ends_it() {
        check_cancels(build, "port_status", "{}");
    }
}
