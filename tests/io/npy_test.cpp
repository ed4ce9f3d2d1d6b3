// Tensors as NumPy files.
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/io/npy.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::npy_cases {

Tensor small_matrix() {
  return tensor_of(Element::kF32, {2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6});
}

// A .npy file with this header and elements.
std::string npy(std::string_view header, std::string_view data) {
  std::string out("\x93NUMPY\x01");
  out += '\0';
  out += static_cast<char>(header.size());
  out += '\0';
  return out.append(header).append(data);
}

std::string error_of(std::string_view file, Element element) {
  const Result<Tensor> read = read_npy(file, element);
  return read ? "none" : read.errors()[0].code;
}

TEST_CASE("npy: a tensor comes back from its file", "[io]") {
  for (const Tensor& tensor :
       {small_matrix(), tensor_of(Element::kI64, {3}, std::vector<std::int64_t>{-1, 0, 7}),
        tensor_of(Element::kBf16, {}, std::vector<double>{1.5}), Tensor(Element::kComplexF64, {2}),
        Tensor(Element::kI1, {0, 4}), Tensor(Element::kUi4, {2, 2})}) {
    INFO(type_text(tensor));
    const Result<Tensor> read = read_npy(write_npy(tensor), tensor.element());
    REQUIRE(read);
    CHECK(to_string(*read) == to_string(tensor));
  }
}

TEST_CASE("npy: a file is what NumPy writes", "[io]") {
  const std::string file = write_npy(small_matrix());
  CHECK(file.size() == 128 + 24);
  CHECK(file.substr(10, 60) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ");
  CHECK(file[127] == '\n');
  CHECK(
      write_npy(Tensor(Element::kI8, {5})).find("'|i1', 'fortran_order': False, 'shape': (5, )") !=
      std::string::npos);
}

TEST_CASE("npy: arrays in column order are turned", "[io]") {
  const std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }";
  const Result<Tensor> read = read_npy(npy(header, "\x01\x04\x02\x05\x03\x06"), Element::kUi8);
  REQUIRE(read);
  CHECK(to_string(*read) == "[[1, 2, 3], [4, 5, 6]] : tensor<2x3xui8>");
}

TEST_CASE("npy: bad files are errors", "[io]") {
  const std::string good = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }";
  CHECK(error_of(npy(good, "ab"), Element::kUi8) == "none");
  CHECK(error_of(npy(good, "a"), Element::kUi8) == "npy.format");
  CHECK(error_of(npy(good, "ab"), Element::kI8) == "npy.type");
  CHECK(error_of("", Element::kUi8) == "npy.format");
  CHECK(error_of("PK\x03\x04 a zip file", Element::kUi8) == "npy.format");
  CHECK(error_of(npy(good, "ab").substr(0, 20), Element::kUi8) == "npy.format");
  CHECK(error_of(npy("{'descr': '|u1', }", "ab"), Element::kUi8) == "npy.format");
  const std::string huge =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296, 2), }";
  CHECK(error_of(npy(huge, "ab"), Element::kUi8) == "npy.format");
}

TEST_CASE("npz: entries have names and checksums", "[io]") {
  const Result<std::string> file =
      write_npz({{"a", small_matrix()}, {"b", Tensor(Element::kI8, {})}});
  REQUIRE(file);
  CHECK(file->starts_with("PK\x03\x04"));
  CHECK(file->find("a.npy\x93NUMPY") != std::string::npos);
  CHECK(file->substr(file->size() - 22, 4) == "PK\x05\x06");
  CHECK(detail::crc32_of("123456789") == 0xCBF43926u);  // the check value of this checksum
}

}  // namespace shardprop::test::npy_cases
