import 'reflect-metadata';
import { Controller, Injectable, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { CreateCampaign } from '../../../src/campaigns/campaigns/campaigns.dto.js';
import { Batch } from '../../../src/common/batch/batch.js';
import { ApiErrors, OperationErrors, throwErrors } from '../../../src/common/errors/api-error.js';
import { invalid, missing } from '../../../src/common/errors/catalogue.js';
import { ApiErrorFilter } from '../../../src/common/http/errors/error-response.js';
import { Rule } from '../../../src/common/http/params/dto-metadata.js';
import { Id, Ids, OneOf, Text, Int } from '../../../src/common/http/params/fields.js';
import { ParsedParams, readParams } from '../../../src/common/http/params/params.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';

const STATES = ['open', 'closed', 'kept'] as const;

class Bounds {
  @Int({ min: 0, max: 9 }) least: number;
  @Int({ min: 0, max: 9 }) most: number;
}

@Rule(['least', 'most'], ({ least, most }: Pick<Range, 'least' | 'most'>) =>
  least > most ? invalid('most', 'most is below least') : undefined,
)
class Range extends Bounds {
  @Text({ optional: true }) label?: string;
}

@Rule(['label'], ({ label }: Pick<Range, 'label'>) =>
  label === undefined ? missing('label', 'a named range has one') : undefined,
)
class NamedRange extends Range {
  @Ids() range_ids?: string[];
}

const refusals = (kind: new () => object, raw: Record<string, unknown>) =>
  readParams(kind, raw, true).refused?.errors.map(({ code, detail }) => `${code} ${detail.parameter}`);

describe('rules between parameters', () => {
  it('are asked of what is fine in itself', () => {
    expect(refusals(Range, { least: '1', most: '2' })).toBeUndefined();
    expect(refusals(Range, { least: '3', most: '2' })).toEqual(['INVALID_PARAMETER most']);
  });

  it('are asked beside refused parameters, unless they need one of these', () => {
    expect(refusals(Range, { least: '3', most: '2', label: '' })).toEqual([
      'INVALID_PARAMETER label',
      'INVALID_PARAMETER most',
    ]);
    expect(refusals(Range, { least: '30', most: '2' })).toEqual(['INVALID_PARAMETER least']);
    expect(refusals(Range, { most: '2' })).toEqual(['MISSING_PARAMETER least']);
  });

  it('come with the class that is extended, and stay out of it', () => {
    expect(refusals(NamedRange, { least: '3', most: '2', range_ids: 'A!' })).toEqual([
      'INVALID_PARAMETER range_ids',
      'INVALID_PARAMETER most',
      'MISSING_PARAMETER label',
    ]);
    expect(refusals(Range, { least: '1', most: '2' })).toBeUndefined();
    expect(refusals(Bounds, { least: '3', most: '2' })).toBeUndefined();
  });

  it('have to name what they look at', () => {
    const least = ({ least: value }: Pick<Range, 'least' | 'most'>) => (value > 8 ? invalid('least', '?') : undefined);
    // @ts-expect-error `most` is not among what the rule needs
    expect(() => Rule(['least'], least)(class extends Range {})).not.toThrow();
    // @ts-expect-error the class has no such parameters
    expect(() => Rule(['least', 'most'], least)(class {})).not.toThrow();
  });
});

describe('reading parameters', () => {
  it('looks at what is declared only, however much else there is', () => {
    // Work that grows with the square of the keys would take longer than a test may.
    const label: Record<string, unknown> = {};
    const raw: Record<string, unknown> = { least: 'x', most: 2, label };
    for (let n = 0; n < 150_000; n++) label[`key${n}`] = raw[`key${n}`] = n;
    const { refused, echo } = readParams(Range, raw);
    expect(refused?.errors.map(({ detail }) => detail.parameter).sort()).toEqual(['label', 'least']);
    expect(JSON.stringify(refused?.errors.map((each) => each.toBody())).length).toBeLessThan(3_000);
    expect(echo).toEqual({ most: 2 });
  });

  it('takes a tolerated value without offering it', () => {
    class Change {
      @OneOf(STATES.slice(0, 2), { tolerated: ['kept'] }) state: (typeof STATES)[number];
    }
    expect(readParams(Change, { state: 'kept' }).params).toEqual({ state: 'kept' });
    expect(readParams(Change, { state: 'lost' }).refused?.message).toBe(
      'Expected a value in open, closed, got "lost" for state',
    );
  });

  it('takes no array for a repeated key where the form is JSON', () => {
    expect(readParams(Range, { least: ['1', '1'], most: 2 }, true).params).toMatchObject({ least: 1 });
    expect(readParams(Range, { least: ['1', '1'], most: 2 }).refused?.message).toBe(
      'Expected Integer, got ["1","1"] for least',
    );
  });
});

describe('what of refused parameters is known', () => {
  it('is no DTO', () => {
    const change = (params: { label?: string }) => params.label;
    const parsed = Parsed.complete<{ label?: string }>({ label: 'x' });
    // @ts-expect-error nothing that takes parameters takes these
    expect(change(parsed)).toBeUndefined();
    expect(parsed.known('label')).toEqual({ label: 'x' });
  });
});

@Injectable()
class Shelf {
  readonly written: object[] = [];

  problems(parsed: Parsed<Range>) {
    const { label } = parsed.known('label') ?? {};
    return label === 'taken' ? [invalid('label', 'somebody has it')] : [];
  }
}

@Controller('12/ranges')
class RangesController {
  constructor(private readonly shelf: Shelf) {}

  @Post()
  create(@ParsedParams(Range) request: Parsed<Range>) {
    return { n: this.shelf.written.push(request.paramsUnless(this.shelf.problems(request))) };
  }
}

@Module({ controllers: [RangesController], providers: [Shelf] })
class RangesModule {}

describe('a method that takes parsed parameters', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(RangesModule, new FastifyAdapter(), { logger: false });
    app.useGlobalFilters(new ApiErrorFilter());
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });
  afterAll(() => app.close());

  const post = async (query: Record<string, string>) => {
    const answer = await app.inject({ method: 'POST', url: '/12/ranges', query });
    const { errors } = answer.json<{ errors?: { code: string; parameter: string }[] }>();
    return { status: answer.statusCode, errors: errors?.map(({ code, parameter }) => `${code} ${parameter}`) };
  };

  it('names problems with what is stored beside those of parameters, and writes nothing', async () => {
    expect(await post({ least: 'x', most: '2', label: 'taken' })).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER least', 'INVALID_PARAMETER label'],
    });
    expect(await post({ least: '3', most: '2', label: 'taken' })).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER most', 'INVALID_PARAMETER label'],
    });
    expect(await post({ least: 'x', most: '2', label: 'free' })).toMatchObject({ errors: ['INVALID_PARAMETER least'] });
    expect(app.get(Shelf).written).toEqual([]);
    expect(await post({ least: '1', most: '2', label: 'free' })).toEqual({ status: 201 });
    expect(app.get(Shelf).written).toEqual([{ least: 1, most: 2, label: 'free' }]);
  });
});

class Remove {
  @Id() range_id: string;
}
const INPUTS = { Create: Range, Remove };

describe('the checks of a batch', () => {
  const body = [
    { operation_type: 'Create', params: { least: 1, most: 2, label: 'taken' } },
    { operation_type: 'Create', params: { least: 'x', most: 2, label: 'taken' } },
    { operation_type: 'Create', params: { least: 1, most: 2, label: [] } },
    { operation_type: 'Remove', params: {} },
  ];
  const refuseTaken = (parsed: Parsed<Range>) =>
    parsed.known('label')?.label === 'taken' ? [invalid('label', 'somebody has it')] : [];

  it('are asked of operations of which some parameters were refused', () => {
    const batch = Batch.read(body, 40, INPUTS, {});
    const codes = (error: unknown) =>
      (error as OperationErrors).operations.map((own) => own.map(({ code, detail }) => `${code} ${detail.parameter}`));
    try {
      batch.run({
        Create: (request) => {
          throwErrors(request.isComplete ? [] : refuseTaken(request));
          return 1;
        },
        Remove: ({ params }) => params.range_id.length,
      });
    } catch (error) {
      expect(codes(error)).toEqual([
        [],
        ['INVALID_PARAMETER least', 'INVALID_PARAMETER label'],
        ['INVALID_PARAMETER label'],
        ['MISSING_PARAMETER range_id'],
      ]);
      expect((error as OperationErrors).request[1]).toEqual({
        operation_type: 'Create',
        params: { most: 2, label: 'taken' },
      });
    }
    expect.assertions(2);
  });

  it('can be read before it is run, with what was refused', () => {
    const requests = Batch.read(body, 40, INPUTS, {}).requests('Create');
    expect(requests.map((request) => request.value('label'))).toEqual(['taken', 'taken', undefined]);
    expect(requests.map(({ isComplete }) => isComplete)).toEqual([true, false, false]);
    expect(() => requests[1].params).toThrow(ApiErrors);
  });

  it('and its handlers never wait', () => {
    const batch = Batch.read([{ operation_type: 'Remove', params: { range_id: 'a' } }], 40, INPUTS, {});
    const later = async () => Promise.resolve(1);
    // @ts-expect-error a promise is no result
    expect(batch.run({ Create: later, Remove: later }).items).toHaveLength(1);
    expect(batch.run({ Create: () => 1, Remove: () => 2 }).items).toEqual([2]);
  });
});

it('creates campaigns with a status or without, never with an empty one', () => {
  const params = { funding_instrument_id: 'a', name: 'x' };
  expect(readParams(CreateCampaign, params).params).toEqual(params);
  for (const entity_status of ['', null]) {
    expect(readParams(CreateCampaign, { ...params, entity_status }).refused?.message).toBe(
      `Expected a value in ACTIVE, DRAFT, PAUSED, got ${JSON.stringify(entity_status)} for entity_status`,
    );
  }
});
