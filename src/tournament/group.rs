//! The process group of a program: everything it started ends with it, and all of it ends with this process.
//!
//! A program is the leader of a group of its own, so that a terminal's interrupt goes to the match only, and so that
//! its children can be ended together with it. The leader's number is the group's: the leader must not be reaped before
//! the group has been ended, for from then on the number may belong to somebody else.
//!
//! A process that is killed cannot end anybody. A guard does it, a shell that waits for the end of its input, whose
//! other end only this process holds: however this process ends, the guard then ends the groups it was told of. What
//! left its group (`setsid`) is out of reach. Linux' parent-death signal would reach the leader only, takes the end of
//! a thread for that of the process, and needs code between `fork` and `exec`.

use std::process::{Child, Command};

/// The group that a program leads.
#[derive(Debug)]
pub(super) struct Group {
    leader: u32,
}

#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
mod system {
    use std::io::{self, Write};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::sync::{Mutex, PoisonError};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    use super::Group;

    /// What the guard does; `kill` is built into every shell. Only the end of its input ends it.
    const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
groups=
while read -r what group; do
    case $what in
        add) groups="$groups $group" ;;
        done)
            left=
            for other in $groups; do [ "$other" = "$group" ] || left="$left $other"; done
            groups=$left ;;
    esac
done
for group in $groups; do kill -s KILL -- "-$group"; done"#;

    /// The groups that are not ended yet, and the shell that knows them too.
    struct Guard {
        groups: Vec<u32>,
        shell: Option<Child>,
    }

    static GUARD: Mutex<Guard> = Mutex::new(Guard { groups: Vec::new(), shell: None });

    impl Guard {
        fn add(&mut self, group: u32) {
            self.groups.push(group);
            if self.shell.is_some() && self.tell(&format!("add {group}")).is_ok() {
                return;
            }
            let told = self.start().and_then(|()| {
                let groups: Vec<String> = self.groups.iter().map(|group| format!("add {group}")).collect();
                self.tell(&groups.join("\n"))
            });
            if let Err(error) = told {
                log::warn!("no guard: should this process be killed, programs may stay behind: {error}");
            }
        }

        fn remove(&mut self, group: u32) {
            self.groups.retain(|&other| other != group);
            // a guard that is gone is replaced with the next program
            let _ = self.tell(&format!("done {group}"));
            if self.groups.is_empty() {
                self.stop();
            }
        }

        fn start(&mut self) -> io::Result<()> {
            self.stop();
            let mut command = Command::new("/bin/sh");
            command.args(["-c", SCRIPT]).current_dir("/").process_group(0);
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            self.shell = Some(command.spawn()?);
            Ok(())
        }

        fn stop(&mut self) {
            if let Some(mut shell) = self.shell.take() {
                drop(shell.stdin.take());
                let _ = shell.wait();
            }
        }

        fn tell(&mut self, line: &str) -> io::Result<()> {
            let input = self.shell.as_mut().and_then(|shell| shell.stdin.as_mut());
            input.ok_or(io::ErrorKind::BrokenPipe)?.write_all(format!("{line}\n").as_bytes())
        }
    }

    /// The command will lead a group of its own.
    pub(super) fn prepare(command: &mut Command) {
        command.process_group(0);
    }

    impl Group {
        pub(super) fn register(&self) {
            GUARD.lock().unwrap_or_else(PoisonError::into_inner).add(self.leader);
        }

        /// The leader has ended; it is not reaped, so that its number stays its own.
        pub(in super::super) fn leader_has_ended(&self, _child: &mut Child) -> bool {
            let Some(leader) = Pid::from_raw(self.leader as i32) else { return true };
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            !matches!(waitid(WaitId::Pid(leader), options), Ok(None))
        }

        /// Ends all of the group; the leader is left to be reaped.
        pub(in super::super) fn kill(self, _child: &mut Child) {
            if let Some(leader) = Pid::from_raw(self.leader as i32) {
                // an error means that nobody is left
                let _ = kill_process_group(leader, Signal::KILL);
            }
            GUARD.lock().unwrap_or_else(PoisonError::into_inner).remove(self.leader);
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
mod system {
    use std::process::{Child, Command};

    use super::Group;

    pub(super) fn prepare(_command: &mut Command) {}

    impl Group {
        pub(super) fn register(&self) {}

        /// The leader has ended.
        pub(in super::super) fn leader_has_ended(&self, child: &mut Child) -> bool {
            !matches!(child.try_wait(), Ok(None))
        }

        /// Ends the leader, which is all that this system offers.
        pub(in super::super) fn kill(self, child: &mut Child) {
            let _ = child.kill();
        }
    }
}

impl Group {
    /// Makes a command the leader of a group of its own.
    pub(super) fn prepare(command: &mut Command) {
        system::prepare(command);
    }

    /// The group of a program that was started by a prepared command.
    pub(super) fn of(child: &Child) -> Group {
        let group = Group { leader: child.id() };
        group.register();
        group
    }
}
