//! FST files (GTKWave, Surfer).

use std::path::PathBuf;

use fst_writer::{
    FstFileType, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection, FstVarType, FstWriteError,
    open_fst,
};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

fn failed(error: FstWriteError) -> PyErr {
    match error {
        FstWriteError::Io(error) => error.into(),
        other => PyOSError::new_err(other.to_string()),
    }
}

/// A value's bits, the highest first; a negative one is unknown.
fn bits(value: i64, width: u32) -> Vec<u8> {
    if value < 0 {
        return vec![b'x'; width as usize];
    }
    (0..width).rev().map(|bit| if value >> bit & 1 == 1 { b'1' } else { b'0' }).collect()
}

/// Writes signals, each named in a scope, and their changes, which are in order of time.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "columns of one table")]
pub(crate) fn write_fst(
    py: Python<'_>,
    path: PathBuf,
    version: String,
    start_ps: u64,
    stop_ps: u64,
    scopes: Vec<(String, Vec<(String, u32)>)>,
    time_ps: PyReadonlyArray1<'_, i64>,
    signal: PyReadonlyArray1<'_, i64>,
    value: PyReadonlyArray1<'_, i64>,
) -> PyResult<()> {
    let (time_ps, signal, value) =
        (time_ps.as_slice()?.to_vec(), signal.as_slice()?.to_vec(), value.as_slice()?.to_vec());
    if time_ps.len() != signal.len() || signal.len() != value.len() {
        return Err(PyValueError::new_err("time_ps, signal and value: of one length"));
    }
    py.detach(|| {
        let info = FstInfo {
            start_time: start_ps,
            timescale_exponent: -12,
            version,
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut header = open_fst(path, &info).map_err(failed)?;
        let mut signals: Vec<(FstSignalId, u32)> = Vec::new();
        for (scope, names) in scopes {
            header.scope(scope, "", FstScopeType::Module).map_err(failed)?;
            for (name, width) in names {
                let kind = FstSignalType::bit_vec(width);
                let id = header.var(name, kind, FstVarType::Wire, FstVarDirection::Implicit, None).map_err(failed)?;
                signals.push((id, width));
            }
            header.up_scope().map_err(failed)?;
        }
        let mut body = header.finish().map_err(failed)?;
        let mut now = None;
        for ((&at, &index), &value) in time_ps.iter().zip(&signal).zip(&value) {
            if now != Some(at) {
                body.time_change(at as u64).map_err(failed)?;
                now = Some(at);
            }
            let &(id, width) = usize::try_from(index)
                .ok()
                .and_then(|index| signals.get(index))
                .ok_or_else(|| PyValueError::new_err(format!("signal: {index} is not allowed; a signal's place")))?;
            body.signal_change(id, &bits(value, width)).map_err(failed)?;
        }
        body.time_change(stop_ps).map_err(failed)?;
        body.finish().map_err(failed)?;
        Ok(())
    })
}
