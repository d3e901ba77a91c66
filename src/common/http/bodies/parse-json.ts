import { randomBytes } from 'node:crypto';
import { nextSlice } from '../../concurrency/in-slices.js';
import {
  JSON_BOUNDS,
  measureInPieces,
  type ElementComma,
  type JsonBounds,
  type JsonExcess,
  type OpenContainer,
  type ChunkSize,
} from './json-bounds.js';

/** The reason a text is rejected: it is not JSON, or exceeds a limit. */
export class JsonRefusal extends Error {
  constructor(
    message: string,
    readonly details: string,
  ) {
    super(message);
  }
}

/**
 * Parses a JSON text; undefined for a blank one. It checks the bounds before it parses. It checks and parses
 * a long text in portions, so that it yields to other requests.
 */
export async function parseJson(
  bytes: Buffer,
  bounds: JsonBounds = JSON_BOUNDS,
  portions?: ChunkSize,
): Promise<unknown> {
  const measured = await measure(bytes, bounds, portions);
  if ('bound' in measured) throw refusalOf(measured);
  if (measured.values === 0 && isBlank(bytes)) return undefined;
  const { cuts } = measured;
  if (cuts.length === 0) return parsed(bytes.toString('utf8'));
  const whole = new WholeOfPortions(bytes);
  for (const cut of cuts) {
    await nextSlice();
    whole.add(cut.at, cut);
  }
  await nextSlice();
  whole.add(bytes.length);
  return whole.value;
}

/** Parses a JSON text of some kilobytes at once, and checks the bounds before. Throws a JsonRefusal. */
export function parseShortJson(text: string, bounds: JsonBounds = JSON_BOUNDS): unknown {
  const measuring = measureInPieces(Buffer.from(text), bounds);
  let step = measuring.next();
  while (!step.done) step = measuring.next();
  if ('bound' in step.value) throw refusalOf(step.value);
  return parsed(text);
}

async function measure(bytes: Buffer, bounds: JsonBounds, portions?: ChunkSize) {
  const measuring = measureInPieces(bytes, bounds, portions);
  for (;;) {
    const { done, value } = measuring.next();
    if (done) return value;
    await nextSlice();
  }
}

/**
 * The name of a member that began before a portion. Clients cannot send it: it is random in every process, and no
 * response contains it.
 */
const CONTINUED = `continued ${randomBytes(18).toString('base64url')}`;
/** The parser quotes up to ten characters before a syntax error: these, and not the prefix of the portion. */
const MARGIN = ' '.repeat(32);

type Container = unknown[] | Record<string, unknown>;

/**
 * Assembles the parsed portions of a text. Each portion is parsed as a separate text: the containers open at its
 * beginning are opened before it, and those open at its end are closed after it. The content for a container that was
 * already open is then appended to it.
 */
class WholeOfPortions {
  value: unknown;
  private from = 0;
  /** The open containers at the end of the portions so far, with their kinds, outermost first. */
  private kinds: readonly OpenContainer[] = [];
  private open: Container[] = [];

  constructor(private readonly bytes: Buffer) {}

  /** Adds the portion up to a cut, or the last one. */
  add(until: number, cut?: ElementComma): void {
    const { bytes, from, kinds, open } = this;
    const begin =
      kinds.map((kind) => (kind === 'array' ? '[' : `{"${CONTINUED}":`)).join('') + (from > 0 ? MARGIN : '');
    const end = cut ? cut.open.map((kind) => (kind === 'array' ? ']' : '}')).reverse() : [];
    const portion = parsed(begin + bytes.toString('utf8', from, until) + end.join(''), from, begin.length);
    if (from === 0) this.value = portion;
    // empty brackets are an array; with commas beside them they are a syntax error
    else if (!extend(open, portion as Container)) throw malformed('an element is missing', from);
    if (!cut) return;
    this.open = open.slice(0, cut.kept);
    for (let level = cut.kept; level < cut.open.length; level++)
      this.open.push(level === 0 ? (portion as Container) : this.memberOf(this.open[level - 1], cut.open[level - 1]));
    if ((this.open.at(-1) as unknown[]).length === 0) throw malformed('an element is missing', cut.at);
    this.kinds = cut.open;
    this.from = cut.at + 1;
  }

  /** The last element or member of a container in the text. */
  private memberOf(container: Container, kind: OpenContainer): Container {
    if (kind === 'array') return (container as unknown[]).at(-1) as Container;
    const name = JSON.parse(this.bytes.toString('utf8', kind.nameFrom, kind.nameTo)) as string;
    return (container as Record<string, unknown>)[name] as Container;
  }
}

/**
 * Appends the content of a portion to the containers that were open before it. False when the innermost array gets no
 * element.
 */
function extend(open: readonly Container[], portion: Container): boolean {
  let more: unknown = portion;
  for (const [level, container] of open.entries()) {
    const isInnermost = level === open.length - 1;
    if (Array.isArray(container)) {
      const elements = more as unknown[];
      if (isInnermost && elements.length === 0) return false;
      for (let i = isInnermost ? 0 : 1; i < elements.length; i++) container.push(elements[i]);
      more = elements[0];
    } else {
      const members = more as Record<string, unknown>;
      for (const name of Object.keys(members)) if (name !== CONTINUED) setMember(container, name, members[name]);
      more = members[CONTINUED];
    }
  }
  return true;
}

/** Sets a member as the parser does: `__proto__` is an ordinary name. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** The client did not send the first `before` characters of the text; positions do not count them. */
function parsed(text: string, from = 0, before = 0): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = (error as Error).message.replace(/(?<=at position )\d+/, (at) => String(Number(at) - before));
    throw malformed(why, from);
  }
}

const malformed = (why: string, from: number) =>
  new JsonRefusal(
    'The body is not well-formed JSON',
    `${from > 0 ? `from byte ${from} on: ` : ''}${why.slice(0, 200)}`,
  );

function refusalOf({ bound, max }: JsonExcess): JsonRefusal {
  switch (bound) {
    case 'depth':
      return new JsonRefusal(`The body is nested more than ${max} levels deep`, `at most ${max} levels are allowed`);
    case 'values':
      return new JsonRefusal(`The body must have at most ${max} values`, `more than ${max} were sent`);
    case 'valuesAtOnce':
      return new JsonRefusal(
        `An element of the body must have at most ${max} values`,
        `one of them has more than ${max}`,
      );
    case 'shapes':
      return new JsonRefusal(
        `The objects in the body must have at most ${max} different sequences of names`,
        `more than ${max} were sent`,
      );
  }
}

const isBlank = (bytes: Buffer) => bytes.toString('latin1').trim() === '';
