//! `ISpeedService`: the service as a COM interface. `request` and `answer` are its stub and its proxy; `service.idl` is its IDL.

pub mod answer;
mod records;
pub mod request;

use callbench_service::call::OPERATIONS;

/// The first three opnums are `IUnknown`'s, which are never called remotely (MS-DCOM 3.1.1.5.5).
const FIRST: u16 = 3;

/// The opnum of an operation of the service.
#[must_use]
pub fn opnum(operation: &str) -> u16 {
    FIRST + OPERATIONS.iter().position(|it| *it == operation).unwrap_or(OPERATIONS.len()) as u16
}

/// The operation of an opnum.
#[must_use]
pub fn operation(opnum: u16) -> Option<&'static str> {
    OPERATIONS.get(usize::from(opnum.checked_sub(FIRST)?)).copied()
}

#[cfg(test)]
mod tests;
