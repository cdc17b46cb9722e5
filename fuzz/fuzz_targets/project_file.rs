#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| vibey_context::fuzzing::run("project_file", data));
