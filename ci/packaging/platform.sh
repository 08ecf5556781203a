# For scripts that source it: which machine a program is for, and how it runs on this one.

# of_platform PROGRAM: sets machine (x86_64, aarch64), cpu (npm's word for it), strip_for, and emulator, which is empty
# where the program runs by itself.
of_platform() {
  strip_for=strip emulator=()
  case $(LC_ALL=C readelf -h "$1" | sed -n 's/^ *Machine: *//p') in
    *X86-64) machine=x86_64 cpu=x64 ;;
    AArch64) machine=aarch64 cpu=arm64 ;;
    *) echo "$1 is for a machine that no package is known for" >&2 && return 1 ;;
  esac
  if [ "$machine" != "$(uname -m)" ]; then
    strip_for=$machine-linux-gnu-strip
    emulator=("$(command -v "qemu-$machine-static")") || { echo "$1 does not run here without qemu-user-static" >&2 && return 1; }
  fi
}

# enclosed_in ROOT: sets enclosed, words before a command for which the folder ROOT is all that there is. They need root, or
# user namespaces.
enclosed_in() {
  if [ "$(id -u)" = 0 ]; then enclosed=(chroot "$1"); else enclosed=(unshare --user --map-root-user --root="$1"); fi
}
