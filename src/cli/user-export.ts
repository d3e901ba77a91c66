import { open, rm } from 'node:fs/promises';
import { IDENTIFIER_KINDS } from '../audiences/entities/audience-identifier.entity.js';
import type { User } from '../auth/credentials/user.entity.js';
import type { Row } from '../common/db/query/rows.js';
import { exportText, type ExportSection } from '../auth/user-export.js';
import { presentKnown } from './directory-profile.js';
import { CommandRefusal } from './refusal.js';
import type { Services } from './services.js';

/** The largest printed document. Printed output is held in memory; larger documents go to a file. */
const MAX_PRINTED_CHARACTERS = 32 * 1024 * 1024;

/** All data about a user: the text of one JSON document, in pieces. */
async function* userDocument(services: Services, user: Row<User>) {
  const usage = await services.quotas.usageOf(user.id, ['UNFINISHED_UPLOAD_BYTES', 'USER_MEDIA_BYTES']);
  const storage = {
    unfinished_upload_bytes: usage.UNFINISHED_UPLOAD_BYTES.used,
    media_bytes: usage.USER_MEDIA_BYTES.used,
  };
  const sections: ExportSection[] = [
    ...services.authExport.sections(user),
    ['directory', await directoryEntry(services.directory, user)],
    ...services.accountsExport.sections(user.id),
    ...services.creativesExport.sections(user.id),
    ...services.measurementExport.sections(user.id),
    ...services.catalogsExport.sections(user.id),
    ['storage', storage],
  ];
  yield* exportText(sections);
  yield '\n';
}

/** The user's directory entry with the hashes of the identifiers; null where there is none. */
async function directoryEntry(directory: Services['directory'], user: Row<User>): Promise<object | null> {
  const found = await directory.of(user.id);
  if (!found) return null;
  const identifiers = await directory.identifiers(found.known.number);
  return {
    ...presentKnown(user, found),
    identifiers: identifiers.map(({ kind, hash }) => ({ kind: IDENTIFIER_KINDS[kind], sha256: hash.toString('hex') })),
  };
}

/** The document as one text; a Refusal where it is too large to be printed. */
export async function printedExport(services: Services, user: Row<User>): Promise<string> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of userDocument(services, user)) {
    length += piece.length;
    if (length > MAX_PRINTED_CHARACTERS)
      throw new CommandRefusal(
        `the export of ${user.username} is longer than ${MAX_PRINTED_CHARACTERS} characters; write it to a file with --out`,
      );
    pieces.push(piece);
  }
  return pieces.join('').trimEnd();
}

/** Writes the document to a new file that only its owner may read. Returns its size in bytes. */
export async function writeExport(services: Services, user: Row<User>, path: string): Promise<number> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandRefusal(
      error.code === 'EEXIST' ? `${path} already exists` : `${path} cannot be created: ${error.message}`,
    );
  });
  try {
    let bytes = 0;
    for await (const piece of userDocument(services, user)) bytes += (await file.write(piece)).bytesWritten;
    await file.close();
    return bytes;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}
