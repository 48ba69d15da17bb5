//! From what was asked for to somebody who plays.

use super::gtp::GtpPlayer;
use super::internal::EnginePlayer;
use super::nboard::NBoardPlayer;
use super::player::{Player, PlayerError};
use super::simple::SimplePlayer;
use super::spec::{PlayerContext, PlayerKind, PlayerSpec, Protocol};

/// Makes the player; starts the program if it is an external one.
///
/// # Errors
/// [`PlayerError::Start`] when the program cannot be started or does not speak its protocol.
pub fn create_player(spec: &PlayerSpec, context: &PlayerContext) -> Result<Box<dyn Player>, PlayerError> {
    let name = spec.name.clone();
    Ok(match &spec.kind {
        PlayerKind::Engine(config) => {
            Box::new(EnginePlayer::new(name.unwrap_or_else(|| spec.text.clone()), config.clone(), context))
        }
        PlayerKind::Simple(style) => {
            Box::new(SimplePlayer::new(name.unwrap_or_else(|| style.name().to_string()), *style))
        }
        PlayerKind::External(config) => match config.protocol {
            Protocol::Gtp => Box::new(GtpPlayer::new(name, config.clone(), context)?),
            Protocol::NBoard => Box::new(NBoardPlayer::new(name, config.clone(), context)?),
        },
    })
}
