//! `callbench-windows.exe`: the messages of the native adapter over the channels of Windows, and COM. Without arguments it speaks
//! `contract/CONTRACT.md` on its standard input and output; `serve CHANNEL MESSAGE OPTIONS` or `serve com OPTIONS` makes it a server, as `server` starts it.

#[cfg(windows)]
mod adapter;
#[cfg(windows)]
mod channel;
#[cfg(windows)]
mod com;
#[cfg(windows)]
mod mishap;
#[cfg(windows)]
mod process;
#[cfg(windows)]
mod server;

#[cfg(windows)]
fn main() -> std::process::ExitCode {
    mishap::end_where_unhandled();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", ref what @ .., options] => server::run(what, options),
        _ => callbench_kit::run(std::sync::Arc::new(adapter::Windows::new())),
    }
}

#[cfg(not(windows))]
fn main() -> std::process::ExitCode {
    eprintln!("callbench-windows: this program is for Windows; `make windows` builds it and `target/callbench-windows` starts it in Wine");
    std::process::ExitCode::FAILURE
}
