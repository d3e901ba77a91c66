import fc from 'fast-check';
import { createMcpHandler } from '@modelcontextprotocol/server';
import {
  AnswerTexts,
  UnreadBytes,
  MAX_ANSWER_BYTES,
  MAX_BYTES_OF_USER,
} from '../../../src/operations/mcp/answer-texts.js';
import { mcpServer } from '../../../src/workbench/mcp/mcp-server.js';
import { inMessages, AnswerTooLarge } from '../../../src/workbench/mcp/operation-tools.js';

const HALF = Buffer.alloc(MAX_ANSWER_BYTES / 2);
const SMALL = Buffer.from('1');

describe('the texts of an answer', () => {
  it('replace their placeholders, however the bytes of the answer are cut', async () => {
    const values = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.jsonValue()), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(values, fc.nat({ max: 50 }), fc.boolean(), async (pairs, size, isBroken) => {
        const texts = new AnswerTexts(new UnreadBytes(), 'user');
        const parts = pairs.map(([key, value], i) => {
          const json = Buffer.from(JSON.stringify(value));
          return JSON.stringify({ [key]: i % 2 ? texts.placeObject(json) : texts.place(json) });
        });
        const written = Buffer.from(`[${parts.join(isBroken ? ',\n' : ',')}]`);
        async function* cut() {
          const step = size + 1;
          for (let at = 0; at < written.length; at += step) yield written.subarray(at, at + step);
        }
        const pieces: Buffer[] = [];
        for await (const piece of texts.filled(cut())) pieces.push(piece);
        const expected = pairs.map(([key, value]) => ({ [key]: JSON.parse(JSON.stringify(value)) as unknown }));
        expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(expected);
      }),
    );
  });

  it('have room for 4 MB in an answer, and for 8 MB of a user until answers end', () => {
    const underWay = new UnreadBytes();
    const answer = (userId: string) => new AnswerTexts(underWay, userId);
    const [first, second, third] = [answer('one'), answer('one'), answer('one')];
    for (const texts of [first, second]) {
      expect(underWay.hasRoom('one')).toBe(true);
      texts.place(HALF);
      texts.place(HALF);
      expect(() => texts.place(SMALL)).toThrow(
        new AnswerTooLarge('An answer has at most 4000000 bytes. Ask for less, or in several requests.'),
      );
    }
    expect([underWay.of('one'), underWay.hasRoom('one')]).toEqual([MAX_BYTES_OF_USER, false]);
    expect(() => third.place(SMALL)).toThrow(/8000000 bytes are on their way to you/);
    answer('two').place(HALF);
    first.end();
    first.end();
    expect([underWay.of('one'), underWay.hasRoom('one')]).toEqual([MAX_ANSWER_BYTES, true]);
    third.place(HALF);
    expect(() => first.place(SMALL)).toThrow(/closed/);
    second.end();
    third.end();
    expect(underWay.of('one')).toBe(0);
  });

  it('say that a tool did its work when its response has no room', async () => {
    const full = () => {
      throw new AnswerTooLarge('An answer is full.');
    };
    const schema = { type: 'object' as const, properties: {} };
    const tool = { name: 'work', description: '', inputSchema: schema, outputSchema: schema, tag: '' };
    const annotations = {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false as const,
    };
    const requestOf = () => ({ method: 'GET' as const, path: '/', sandbox: false, params: [] });
    const tools = [{ ...tool, annotations, requestOf }];
    const offer = {
      version: '1',
      names: 'marquee' as const,
      tools,
      listed: tools,
      documents: [],
      call: async () => ({ status: 201, body: '{}', requestId: 'abc', hint: null }),
      texts: { ...inMessages, text: full },
    };
    const { fetch } = createMcpHandler(() => mcpServer(offer));
    const response = await fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work', arguments: {} } }),
      }),
    );
    const [, data] = /^data: (.*)$/m.exec(await response.text())!;
    const text = 'The service answered 201, x-request-id abc. An answer is full.';
    expect(JSON.parse(data)).toMatchObject({ result: { isError: true, content: [{ type: 'text', text }] } });
  });
});
