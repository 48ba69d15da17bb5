//! Ctrl-C: the first press stops the work cleanly, a second one that finds it still stopping ends the process.

use std::process;

use outflank::search::StopToken;

/// Installs the handler and returns the token it sets. To be called once in the process.
pub fn stop_token() -> StopToken {
    let token = StopToken::new();
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
    // nobody reads the results any more: that ends the work too
    super::gone::watch(token.clone());
    token
}
