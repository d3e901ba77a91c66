/** Whether a file ends with a ZIP directory (APPNOTE 4.3.16), and so is also an archive. */
export function endsAsArchive(tail: Buffer): boolean {
  for (let at = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1'); at >= 0;) {
    if (at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) === tail.length) return true;
    if (at === 0) return false;
    at = tail.lastIndexOf('PK\x05\x06', at - 1, 'latin1');
  }
  return false;
}
