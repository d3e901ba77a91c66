import { StartFailure } from './start-failure.js';

/** The reason that DATA_DIR is not writable, by the code of the system error; undefined for other errors. */
export function dataDirFailure(reason: string | undefined, dataDir: string): StartFailure | undefined {
  switch (reason) {
    case 'EEXIST':
    case 'ENOTDIR':
      return new StartFailure(`DATA_DIR: ${dataDir} is no directory; set DATA_DIR to one, or move that file away.`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StartFailure(
        `DATA_DIR: this user may not write in ${dataDir} (${reason}); give them the right to, or set DATA_DIR to another directory.`,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new StartFailure(
        `DATA_DIR: the disk of ${dataDir} is full; make room, or set DATA_DIR to a directory on another disk.`,
      );
    default:
      return undefined;
  }
}
