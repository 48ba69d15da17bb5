//! The binary as users run it: arguments, files, pipes, exit statuses.
#![cfg(feature = "cli")]

mod binary;
mod shared_data;
mod waiting;

mod cli {
    mod accuracy;
    mod analyze;
    mod games;
    mod help;
    mod outputs;
    mod play;
    mod report;
    mod rules;
    mod run;
    mod signals;
    mod solve;
    mod tools;
}
