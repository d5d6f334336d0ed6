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
        object! { "port": 3000_u32 } => "which program uses port 3000",
        object! { "port": 3000_u32 } => "who is on port 3000",
        object! { "port": 3000_u32 } => "is port 3000 free",
        object! { "port": 3000_u32 } => "is anything running on 3000",
        object! {} => "show all listening ports",
        object! {} => "which ports are open",
        object! { "port": 3000_u32 } => "is something running on port 3000",
        object! { "port": 3000_u32 } => "is port 3000 taken",
        object! { "port": 3000_u32 } => "which program occupies port 3000",
        object! { "port": 3000_u32 } => "show what is listening on port 3000",
        object! {} => "list the listening ports",
        object! {} => "which ports are in use",
        object! { "port": 3000_u32 } => "which process is on port 3000",
        object! { "port": 3000_u32 } => "who uses port 3000",
        object! { "port": 3000_u32 } => "is port 3000 in use",
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
