import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const ESTABLISHED = '01';

/** What a process has open: connections that clients made to its port, and all else. */
export function handlesOf(pid: number, port: number): { clients: number; others: number } {
  const accepted = connectionsTo(pid, port);
  const handles = readdirSync(`/proc/${pid}/fd`).map((handle) => targetOf(`/proc/${pid}/fd/${handle}`));
  const clients = handles.filter((target) => accepted.has(target)).length;
  return { clients, others: handles.length - clients };
}

/** The connections over IPv4 whose end here is this port, as links of file handles name them. */
function connectionsTo(pid: number, port: number): Set<string> {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n').slice(1);
  const fields = rows.map((row) => row.trim().split(/\s+/));
  // number, local and remote address, state, ..., inode as the tenth (proc(5))
  const own = fields.filter(([, local, , state]) => local.endsWith(end) && state === ESTABLISHED);
  return new Set(own.map((row) => `socket:[${row[9]}]`));
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    // closed meanwhile
    return '';
  }
}
