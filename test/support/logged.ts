/** Everything that is written to standard output while the work is done: the log lines go there. */
export async function logged(work: () => Promise<void>): Promise<string> {
  const chunks: string[] = [];
  const { write } = process.stdout;
  const fd = (await import('node:fs')).default;
  const { writeSync } = fd;
  process.stdout.write = (chunk: string | Uint8Array) => {
    chunks.push(Buffer.from(chunk as never).toString());
    return true;
  };
  fd.writeSync = ((to: number, chunk: string | Uint8Array, ...rest: never[]) => {
    if (to !== 1) return writeSync(to, chunk as never, ...rest);
    chunks.push(Buffer.from(chunk as never).toString());
    return Buffer.byteLength(chunk);
  }) as typeof writeSync;
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 200));
  } finally {
    process.stdout.write = write;
    fd.writeSync = writeSync;
  }
  return chunks.join('');
}
