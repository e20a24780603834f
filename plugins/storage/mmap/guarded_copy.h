// A copy into mapped pages that reports what the device says instead of dying of it.
//
// A store into a shared file mapping is answered by SIGBUS where the kernel cannot give the page: a
// read error, a file system that went read-only, one that copies on write and is full, a file that
// somebody cut. Preallocation prevents the ordinary full disk, nothing prevents the rest. So the
// copy runs under a signal handler that leaves it by siglongjmp, for faults inside the destination
// only; every other SIGBUS goes to the handler that was there before.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

namespace leat::mmap {

// Once, before the first guarded_copy(). Any thread; the handler stays for the life of the process,
// as the library does.
void guard_against_bus_errors();

// Any thread. Copies the parts one behind the other to `to`. False if a page could not be had: some
// of it may have been copied.
bool guarded_copy(std::byte* to, std::span<const iovec> parts);

}  // namespace leat::mmap
