//! The program's commands, and what they share: the driver, the view, consent and ports.

mod chat;
mod consent;
mod instructions;
mod pump;
mod serve;
#[cfg(test)]
mod contracts;
mod toolbox;
mod typed;
mod view;
