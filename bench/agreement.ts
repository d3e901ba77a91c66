import { randomBytes } from 'node:crypto';
import type { Case } from './cases.js';
import { ask } from './http.js';
import { distinct, UNIQUE, type Asked, type Pen } from './load/task.js';

/** Ids and times of what was created just now, and cursors, belong to the request alone. */
const withoutOwn = (body: string, creates: boolean) => {
  const same = body.replace(/"next_cursor":"[^"]+"/, '"next_cursor":"..."');
  return creates ? same.replace(/"(id|id_str|created_at|updated_at)":("[^"]+"|\d+)/g, '"$1":"..."') : same;
};

/**
 * Optional fields that the bench sets nowhere: the reference need not know them. They are null in our answer and missing in the other.
 */
function withoutUnset(body: string, other: string): string {
  const isUnset = (key: string) => !other.includes(`${key}:`);
  return body.replace(/,("[a-z_]+"):null/g, (field, key: string) => (isUnset(key) ? '' : field));
}

/** The order in which parameters are echoed says nothing. */
const withEchoInOrder = (body: string) =>
  body.replace(/"params":\{([^{}]*)\}/g, (_, echoed: string) => `"params":{${echoed.split(',').sort().join()}}`);

/** Throws unless both servers answer a case with the same bytes: else they would not be doing the same work. */
export async function assertSameAnswers(
  { name, requests, before }: Case,
  pen: Pen,
  ours: number,
  reference: number,
): Promise<void> {
  const run = randomBytes(6).toString('hex');
  /** One after the other: what one of them stored may not be there for the other. */
  const asked = async (port: number, request: Asked, n: number): Promise<string> => {
    await before?.();
    const own = distinct(UNIQUE, run, n);
    const answer = await ask(port, pen, { ...request, target: request.target.replace(UNIQUE, own) });
    return answer.replaceAll(own, UNIQUE);
  };
  for (const [n, request] of requests.slice(0, 5).entries()) {
    const [one, other] = [await asked(ours, request, 2 * n), await asked(reference, request, 2 * n + 1)];
    const creates = request.method === 'POST';
    const [ourAnswer, theirAnswer] = [one, other].map((body) => withEchoInOrder(withoutOwn(body, creates)));
    if (withoutUnset(ourAnswer, theirAnswer) !== theirAnswer)
      throw new Error(
        `${name}: the servers differ.\nours:      ${one.slice(0, 2_000)}\nreference: ${other.slice(0, 2_000)}`,
      );
  }
}
