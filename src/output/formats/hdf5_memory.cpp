// SPDX-License-Identifier: BSD-3-Clause
// HDF5's interface of virtual file drivers, as far as one process that makes a file needs it.
#ifdef NEARFAR_HAVE_HDF5
#include "formats/hdf5_memory.hpp"

#include <hdf5.h>
#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <cstring>
#include <nearfar/error.hpp>

namespace nearfar::output {

namespace {

/// What HDF5 knows of an open file: its own part comes first.
struct open_memory {
  H5FD_t of_hdf5;
  hdf5_memory* in;
  haddr_t end_of_addresses;
};

open_memory& of(const H5FD_t* file) {
  return *reinterpret_cast<open_memory*>(const_cast<H5FD_t*>(file));  // the first member
}

// HDF5 copies what a property list has by the size that the driver says.
struct settings {
  hdf5_memory* in;
};

H5FD_t* open(const char* /*name*/, unsigned /*flags*/, hid_t access, haddr_t /*most*/) {
  const auto* s = static_cast<const settings*>(H5Pget_driver_info(access));
  if (s == nullptr) return nullptr;
  auto* file = new (std::nothrow) open_memory{{}, s->in, 0};
  return file == nullptr ? nullptr : &file->of_hdf5;
}

herr_t close(H5FD_t* file) {
  delete &of(file);
  return 0;
}

// As of files on disk, which were made before: the same stream has the same bytes.
herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  if (flags != nullptr)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t /*type*/) { return of(file).end_of_addresses; }

herr_t set_eoa(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t to) {
  of(file).end_of_addresses = to;
  return 0;
}

haddr_t get_eof(const H5FD_t* file, H5FD_mem_t /*type*/) { return static_cast<haddr_t>(of(file).in->end); }

herr_t read(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, size_t count, void* to) {
  const auto bytes = of(file).in->bytes(static_cast<index_t>(at), static_cast<index_t>(at + count));
  std::memcpy(to, bytes.data(), count);
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, size_t count, const void* from) {
  try {
    hdf5_memory& in = *of(file).in;
    const auto *next = static_cast<const std::byte*>(from), *last = next + count;
    for (auto place = static_cast<index_t>(at); next != last;) {
      const index_t begin = place / hdf5_memory::page * hdf5_memory::page;
      auto& page = in.pages[begin];
      page.resize(static_cast<std::size_t>(hdf5_memory::page));
      const index_t n = std::min<index_t>(begin + hdf5_memory::page - place, last - next);
      std::copy_n(next, n, page.begin() + (place - begin));
      place += n, next += n;
      in.end = std::max(in.end, place);
    }
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

herr_t truncate(H5FD_t* file, hid_t /*transfer*/, hbool_t /*is_closing*/) {
  of(file).in->end = static_cast<index_t>(of(file).end_of_addresses);
  return 0;
}

H5FD_class_t description() {
  H5FD_class_t c{};
#if H5_VERSION_GE(1, 14, 0)
  c.version = H5FD_CLASS_VERSION, c.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 77);
#endif
  c.name = "nearfar_memory";
  c.maxaddr = static_cast<haddr_t>(INT64_MAX);
  c.fc_degree = H5F_CLOSE_STRONG;
  c.fapl_size = sizeof(settings);
  c.open = open, c.close = close, c.query = query;
  c.get_eoa = get_eoa, c.set_eoa = set_eoa, c.get_eof = get_eof;
  c.read = read, c.write = write, c.truncate = truncate;
  const H5FD_mem_t kinds[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy_n(kinds, static_cast<int>(H5FD_MEM_NTYPES), c.fl_map);
  return c;
}

}  // namespace

std::vector<std::byte> hdf5_memory::bytes(index_t from, index_t to) const {
  std::vector<std::byte> all(as_size(to - from));
  for (auto p = pages.lower_bound(from / page * page); p != pages.end() && p->first < to; ++p) {
    const index_t first = std::max(from, p->first), last = std::min(to, p->first + page);
    std::copy(p->second.begin() + (first - p->first), p->second.begin() + (last - p->first),
              all.begin() + (first - from));
  }
  return all;
}

void use_memory(std::int64_t access, hdf5_memory& in) {
  static const H5FD_class_t driver = description();
  static const hid_t id = H5FDregister(&driver);
  const settings s{&in};
  if (id < 0 || H5Pset_driver(access, id, &s) < 0) throw io_error("HDF5 takes no driver for files in memory");
}

}  // namespace nearfar::output
#endif
