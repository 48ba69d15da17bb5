//! Ctrl-C: the first press stops the work cleanly, a second one that finds it still stopping ends the process.

use std::process;
use std::sync::OnceLock;

use outflank::search::StopToken;

/// The token of the process, once there is one.
static TOKEN: OnceLock<StopToken> = OnceLock::new();

/// Installs the handler and returns the token it sets. To be called once in the process.
pub fn stop_token() -> StopToken {
    let token = TOKEN.get_or_init(StopToken::new).clone();
    let handler_token = token.clone();
    let installed = ctrlc::set_handler(move || {
        if handler_token.is_stopped() {
            process::exit(130);
        }
        handler_token.stop();
    });
    if let Err(error) = installed {
        // without a handler Ctrl-C ends the process: worse manners, same safety
        log::warn!("no Ctrl-C handler: {error}");
    }
    token
}

/// The user has interrupted the work. Without a handler that never happens: the process ends at once then.
pub fn is_requested() -> bool {
    TOKEN.get().is_some_and(StopToken::is_stopped)
}
