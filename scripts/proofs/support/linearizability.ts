/** A request about one resource and its answer, as a client saw them. */
export interface Operation<State> {
  /** When it was sent, in milliseconds. */
  from: number;
  /** When it was answered; undefined if its answer was lost, so that it may take effect at any later time, or never. */
  to: number | undefined;
  /** The state that it leaves when it finds this one; undefined if its answer says that it found another one. */
  apply(found: State): State | undefined;
  /** True if it leaves every state as it is. */
  isRead?: true;
}

interface Entry<State> {
  operation: Operation<State>;
  index: number;
  /** Undefined at the end of an operation. */
  end?: Entry<State>;
  isEnd: boolean;
  previous?: Entry<State>;
  next?: Entry<State>;
}

/**
 * Whether there is an order in which operations on one resource had each its effect at once, between its request and its answer,
 * and got the answers that they got. The search of Wing and Gong, which remembers what it tried as Lowe describes. A read
 * comes as soon as it fits: it is in nobody's way, so that there is no need to try it later.
 * `keyOf`: equal for equal states.
 */
export function isLinearizable<State>(
  operations: readonly Operation<State>[],
  initial: State,
  keyOf: (state: State) => string,
): boolean {
  const head = entriesOf(operations);
  const tried = new Set<string>();
  const taken: { entry: Entry<State>; state: State; done: bigint }[] = [];
  let state = initial;
  let done = 0n;
  let entry = readOf(head, state) ?? head.next;
  while (entry) {
    if (entry.isEnd) {
      // its operation had to come before, and found no state that it fits
      let last = taken.pop();
      for (; last?.entry.operation.isRead; last = taken.pop()) putBack(last.entry);
      if (!last) return false;
      ({ state, done } = last);
      putBack(last.entry);
      entry = last.entry.next;
      continue;
    }
    const left = entry.operation.apply(state);
    const then = done | (1n << BigInt(entry.index));
    if (left !== undefined && isNew(tried, `${then.toString(36)} ${keyOf(left)}`)) {
      taken.push({ entry, state, done });
      state = left;
      done = then;
      takeOut(entry);
      entry = readOf(head, state) ?? head.next;
    } else {
      entry = entry.next;
    }
  }
  // operations without an answer may be left
  return true;
}

/** A read that may come next. */
function readOf<State>(head: Pick<Entry<State>, 'next'>, state: State): Entry<State> | undefined {
  let entry = head.next;
  const fits = ({ isRead, apply }: Operation<State>) => isRead && apply(state) !== undefined;
  while (entry && !entry.isEnd && !fits(entry.operation)) entry = entry.next;
  return entry?.isEnd ? undefined : entry;
}

/** The beginnings and ends of operations in the order of time, behind a head. */
function entriesOf<State>(operations: readonly Operation<State>[]): { next?: Entry<State> } {
  const timed = operations.flatMap((operation, index) => {
    const end: Entry<State> = { operation, index, isEnd: true };
    const begin: Entry<State> = { operation, index, isEnd: false, ...(operation.to !== undefined && { end }) };
    const both = [{ at: operation.from, entry: begin }];
    return operation.to === undefined ? both : [...both, { at: operation.to, entry: end }];
  });
  // at the same time they may have met
  timed.sort((a, b) => a.at - b.at || Number(a.entry.isEnd) - Number(b.entry.isEnd));
  const head: Entry<State> = { operation: operations[0], index: -1, isEnd: false };
  let last = head;
  for (const { entry } of timed) {
    entry.previous = last;
    last.next = entry;
    last = entry;
  }
  return head;
}

function takeOut<State>(begin: Entry<State>): void {
  for (const entry of begin.end ? [begin, begin.end] : [begin]) {
    entry.previous!.next = entry.next;
    if (entry.next) entry.next.previous = entry.previous;
  }
}

/** Undoes `takeOut`; of several, the last one first. */
function putBack<State>(begin: Entry<State>): void {
  for (const entry of begin.end ? [begin.end, begin] : [begin]) {
    entry.previous!.next = entry;
    if (entry.next) entry.next.previous = entry;
  }
}

function isNew(tried: Set<string>, key: string): boolean {
  if (tried.has(key)) return false;
  tried.add(key);
  return true;
}
