/** A failed start, as a sentence for operators: the problem and its remedy. */
export class StartFailure extends Error {}

/** The reason that DATA_DIR is not writable, by the code of the system error; undefined for other errors. */
export function dataDirFailure(reason: string | undefined, dataDir: string): StartFailure | undefined {
  switch (reason) {
    case 'EEXIST':
    case 'ENOTDIR':
      return new StartFailure(
        `DATA_DIR: ${dataDir} is not a directory; set DATA_DIR to a directory, or move that file away.`,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StartFailure(
        `DATA_DIR: this user cannot write to ${dataDir} (${reason}); change its permissions, or set DATA_DIR to another directory.`,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new StartFailure(
        `DATA_DIR: the disk of ${dataDir} is full; free up space, or set DATA_DIR to a directory on another disk.`,
      );
    default:
      return undefined;
  }
}
