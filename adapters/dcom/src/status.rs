//! What servers say when they do not answer: the statuses of fault PDUs, HRESULTs and Windows' error codes, by the documents' names.

/// The opnum is not one of the interface (C706 appendix E).
pub const OP_RANGE: u32 = 0x1c01_0002;
/// The presentation context is not one that was negotiated.
pub const UNKNOWN_INTERFACE: u32 = 0x1c01_0003;
/// An unexpected PDU.
pub const PROTOCOL: u32 = 0x1c01_000b;
/// The stub data could not be unmarshalled (C706 appendix E `nca_s_fault_ndr`; MS-RPCE gives it this value).
pub const NDR: u32 = 0x0000_06f7;
/// The call had authentication, which is not supported here.
pub const ACCESS_DENIED: u32 = 0x0000_0005;
/// More than a message may have.
pub const NO_MEMORY: u32 = 0x1c00_001b;

/// The client's COM version is another than the server's (MS-DCOM 3.1.1.5.4).
pub const VERSION_MISMATCH: u32 = 0x8001_0110;
/// No object has that IPID, or no longer (MS-ERREF 2.1).
pub const DISCONNECTED: u32 = 0x8001_0108;
/// The same as the answer of `RemQueryInterface` and its kin (MS-DCOM 3.1.1.5.6.1.1).
pub const INVALID_OBJECT: u32 = 0x8001_0114;
pub const NO_INTERFACE: u32 = 0x8000_4002;
pub const INVALID_ARGUMENT: u32 = 0x8007_0057;
pub const CLASS_NOT_REGISTERED: u32 = 0x8004_0154;

/// `OR_INVALID_OXID`, `OR_INVALID_OID`, `OR_INVALID_SET` (MS-ERREF 2.2).
pub const INVALID_OXID: u32 = 1910;
pub const INVALID_OID: u32 = 1911;
pub const INVALID_SET: u32 = 1912;

/// The document's name of a status, for people.
#[must_use]
pub fn name(status: u32) -> &'static str {
    match status {
        OP_RANGE => "nca_s_op_rng_error",
        UNKNOWN_INTERFACE => "nca_s_unk_if",
        PROTOCOL => "nca_s_proto_error",
        NDR => "nca_s_fault_ndr",
        ACCESS_DENIED => "ERROR_ACCESS_DENIED",
        NO_MEMORY => "nca_s_fault_remote_no_memory",
        VERSION_MISMATCH => "RPC_E_VERSION_MISMATCH",
        DISCONNECTED => "RPC_E_DISCONNECTED",
        INVALID_OBJECT => "RPC_E_INVALID_OBJECT",
        NO_INTERFACE => "E_NOINTERFACE",
        INVALID_ARGUMENT => "E_INVALIDARG",
        CLASS_NOT_REGISTERED => "REGDB_E_CLASSNOTREG",
        INVALID_OXID => "OR_INVALID_OXID",
        INVALID_OID => "OR_INVALID_OID",
        INVALID_SET => "OR_INVALID_SET",
        _ => "a status without a name here",
    }
}

/// The status with its name.
#[must_use]
pub fn describe(status: u32) -> String {
    format!("{status:#010x} ({})", name(status))
}
