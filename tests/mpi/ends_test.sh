#!/usr/bin/env bash
# ends_test.sh MPIEXEC SHARDPROP_MPI: a run in which a process dies, waits in vain or disagrees ends
# with a message, a code that is not 0, and in time.
set -uo pipefail
mpiexec=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "$1" >&2
  cat "$folder/said" >&2
  exit 1
}

# ends COUNT WANTED OPTION...: runs $folder/in.mlir, which must fail within 20 seconds and say WANTED.
ends() {
  local count=$1 wanted=$2 code
  shift 2
  timeout 20 "$mpiexec" --oversubscribe -n "$count" "$program" "$folder/in.mlir" "$@" \
    >"$folder/said" 2>&1
  code=$?
  [[ $code != 0 && $code != 124 ]] || fail "the code is $code, expected a failure in time"
  grep -q "$wanted" "$folder/said" || fail "it does not say: $wanted"
}

# A sum that only odd processes come to.
divergent() {
  cat <<END
module attributes {mhlo.num_replicas = 4 : i32} {
func.func @main() -> tensor<ui32> {
  %i = stablehlo.replica_id : tensor<ui32>
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %odd = stablehlo.and %i, %one : tensor<ui32>
  %p = stablehlo.compare EQ, %odd, %one : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %g = "stablehlo.all_reduce"(%i) ({
    ^bb0(%x: tensor<ui32>, %y: tensor<ui32>):
      %s = stablehlo.add %x, %y : tensor<ui32>
      stablehlo.return %s : tensor<ui32>
    }) {replica_groups = dense<$1> : tensor<ui32>} : (tensor<ui32>) -> tensor<ui32>
    stablehlo.return %g : tensor<ui32>
  }, {
    stablehlo.return %i : tensor<ui32>
  }) : (tensor<i1>) -> tensor<ui32>
  return %r : tensor<ui32>
}
}
END
}

# All are in one group: those that are done meet those that are not.
divergent '[[0, 1, 2, 3]]' | sed 's/tensor<ui32>} :/tensor<1x4xi64>} :/' >"$folder/in.mlir"
ends 4 'run.diverged'

# Those that wait are in groups of their own, and nobody comes.
divergent '[[0, 1], [2, 3]]' | sed 's/tensor<ui32>} :/tensor<2x2xi64>} :/' >"$folder/in.mlir"
ends 4 'waits for others for more than 2 seconds, at @main, stablehlo.all_reduce %g' --time-limit 2

# A program for another number of processes.
ends 2 'the program is for 4 devices'

# A process that is killed while it runs a loop without end.
cat >"$folder/in.mlir" <<'END'
module attributes {mhlo.num_replicas = 2 : i32} {
func.func @main() -> tensor<i1> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.while(%i = %p) : tensor<i1>
   cond {
    stablehlo.return %i : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i1>
  }
  return %r : tensor<i1>
}
}
END
cat >"$folder/dies.sh" <<END
#!/usr/bin/env bash
# Process 1 dies after a second.
if [[ \${OMPI_COMM_WORLD_RANK:-} == 1 ]]; then
  "$program" "\$@" & sleep 1; kill -9 \$!; wait \$!
else
  exec "$program" "\$@"
fi
END
chmod +x "$folder/dies.sh"
program=$folder/dies.sh ends 2 ''
