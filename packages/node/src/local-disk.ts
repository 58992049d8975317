import { statfsSync } from 'node:fs';

/**
 * Linux magic numbers of local file systems: ext, XFS, Btrfs, F2FS, ZFS, bcachefs, exFAT, FAT, NTFS, overlay,
 * tmpfs, ramfs.
 */
const local = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0xca451a4e, 0x2011bab0, 0x4d44, 0x7366746e,
  0x794c7630, 0x01021994, 0x858458f6,
]);

/** Whether the folder is on a local disk, which no other machine can mount; `false` if unknown. */
export function isLocalDisk(folder: string): boolean {
  return process.platform === 'linux' && local.has(statfsSync(folder).type);
}
