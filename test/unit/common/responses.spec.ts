import 'reflect-metadata';
import { ApiProperty } from '@nestjs/swagger';
import fc from 'fast-check';
import { fastify } from 'fastify';
import { CampaignView } from '../../../src/campaigns/campaigns/campaign.presenter.js';
import { schemaOf, schemaOfAny, Unescaped } from '../../../src/common/http/answers/responses.js';

class Labelled {
  @ApiProperty({ enum: ['A', 'B'] }) kind: string;
  @ApiProperty({ enum: ['A', 'B'], isArray: true }) kinds: string[];
  @ApiProperty({ format: 'id' }) id: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) at: string | null;
  @ApiProperty({ type: 'array', items: { type: 'string', enum: ['A'] } }) listed: string[];
  @ApiProperty({ enum: ['A', 'B'] }) @Unescaped() ours: string;
}

describe('what a View writes', () => {
  let write: (item: Record<string, unknown>) => string;
  beforeAll(async () => {
    const app = fastify();
    app.get('/', async (_, reply) => {
      write = reply.compileSerializationSchema(schemaOf(Labelled));
      return {};
    });
    await app.inject('/');
    await app.close();
  });
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\n', '","admin":true,"x":"'));

  it('is JSON whatever stands in it, closed sets, ids and times included', () => {
    fc.assert(
      fc.property(text, (given) => {
        const item = { kind: given, kinds: [given, given], id: given, at: given, listed: [given], ours: 'A' };
        expect(JSON.parse(write(item))).toEqual(item);
      }),
    );
  });

  it('goes as it stands only where the View says so', () => {
    const { properties } = schemaOf(Labelled) as { properties: Record<string, { format?: string }> };
    expect(Object.keys(properties).filter((name) => properties[name].format === 'unsafe')).toEqual(['ours']);
  });

  it('looks for nothing to escape in words of ours, which most of a campaign is', () => {
    const { properties } = schemaOf(CampaignView) as {
      properties: Record<string, { format?: string; items?: { format?: string } }>;
    };
    const unescaped = Object.keys(properties).filter((name) =>
      [properties[name].format, properties[name].items?.format].includes('unsafe'),
    );
    expect(unescaped.sort()).toEqual([
      'budget_optimization',
      'created_at',
      'effective_status',
      'entity_status',
      'funding_instrument_id',
      'id',
      'reasons_not_servable',
      'updated_at',
    ]);
  });
});

class Round {
  @ApiProperty({ enum: ['ROUND'] }) @Unescaped() kind: string;
  @ApiProperty() radius: number;
  @ApiProperty({ type: String, nullable: true }) note: string | null;
}
class Square {
  @ApiProperty({ enum: ['SQUARE'] }) kind: string;
  @ApiProperty({ required: false }) side?: number;
  @ApiProperty() note: string;
}

describe('what is one of several Views', () => {
  const schema = schemaOfAny([Round, Square]) as { properties: Record<string, object>; required: string[] };

  it('has to have what all of them have, and may have what any has', () => {
    expect(schema.required.sort()).toEqual(['kind', 'note']);
    expect(schema.properties).toEqual({
      kind: { type: 'string' },
      radius: { type: 'number', optional: true },
      note: { type: 'string', nullable: true },
      side: { type: 'number', optional: true },
    });
  });

  it('is written with what it has alone', async () => {
    const app = fastify();
    app.get('/', (_, reply) => {
      const write = reply.compileSerializationSchema(schema);
      return [
        { kind: 'ROUND', radius: 1, note: null, more: 1 },
        { kind: 'SQUARE', note: 'x' },
      ].map((item) => JSON.parse(write(item)) as object);
    });
    expect((await app.inject('/')).json()).toEqual([
      { kind: 'ROUND', radius: 1, note: null },
      { kind: 'SQUARE', note: 'x' },
    ]);
    await app.close();
  });

  it('cannot be of several types in one place', () => {
    class Other {
      @ApiProperty() kind: number;
    }
    expect(() => schemaOfAny([Round, Other])).toThrow('differ in type');
  });
});
