// The runner of the tests, for both versions of Catch2. Returns 77 where nothing failed but shared
// data was missing.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "tests/support/shared_data.hpp"

int main(int argc, char* argv[]) {
  const int failed = Catch::Session().run(argc, argv);
  return failed == 0 && shardprop::test::shared_data_is_missing ? shardprop::test::kSkipped
                                                                : failed;
}
