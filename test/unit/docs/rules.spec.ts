import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/operations/docs/operation.js';
import { documentParametersOf } from '../../../src/operations/docs/parameters.js';
import type { DocumentSchema } from '../../../src/operations/docs/schemas.js';
import { compile } from '../../support/contract.js';

type Media = { schema?: DocumentSchema; example?: unknown };
type Answer = { $ref?: string; description?: string; content?: Record<string, Media> };

const spec = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
const operations = operationsOf(spec);
const schemas = spec.components!.schemas as Record<string, DocumentSchema>;
const shared = spec.components!.responses as Record<string, Answer>;
const nameIn = (ref: string) => ref.split('/').pop()!;

/** Every schema of the document with where it stands, those inside others too. */
function* everySchema(): Generator<[at: string, schema: DocumentSchema]> {
  for (const [name, schema] of Object.entries(schemas)) yield* inside(name, schema);
  for (const { operation } of operations) {
    for (const { name, schema } of documentParametersOf(operation))
      yield* inside(`${operation.operationId} ${name}`, schema);
    for (const [status, { schema }] of mediaOf(operation)) yield* inside(`${operation.operationId} ${status}`, schema!);
  }
}

function* inside(at: string, schema: DocumentSchema): Generator<[string, DocumentSchema]> {
  yield [at, schema];
  for (const [name, each] of Object.entries(schema.properties ?? {})) yield* inside(`${at}.${name}`, each);
  if (schema.items) yield* inside(`${at}[]`, schema.items);
  for (const keyword of ['oneOf', 'anyOf', 'allOf'])
    for (const [i, each] of ((schema[keyword] ?? []) as DocumentSchema[]).entries())
      yield* inside(`${at} ${keyword} ${i}`, each);
}

/** The bodies of an operation: what it takes, as `body`, and what it answers, by status. */
function mediaOf({ requestBody, responses }: (typeof operations)[number]['operation']): [string, Media][] {
  const bodies = [['body', requestBody], ...Object.entries(responses)] as [string, Answer | undefined][];
  return bodies.flatMap(([name, body]) => {
    const { content = {} } = (body?.$ref ? shared[nameIn(body.$ref)] : body) ?? {};
    return Object.values(content).map((media): [string, Media] => [name, media]);
  });
}

const descriptionOf = ({ description, $ref }: DocumentSchema): string | undefined =>
  description ?? ($ref && schemas[nameIn($ref)].description);

/** Lists that say how many there are without being asked. */
const ALWAYS_COUNTED = ['createPromotedPost', 'listBiddingRules', 'listContentCategories'];

const CTAS = ['second', 'third', 'fourth'].flatMap((ordinal) => [`${ordinal}_cta`, `${ordinal}_cta_post`]);
const CONVERSATION = [...CTAS, 'thank_you_url', 'unlocked_image_url'];
/** Fields of items that are there only where there is something to say, as the specification shows them. */
const OF_UPLOADS = 'associated_subtitles expires_after_secs image media_key processing_info size video'.split(' ');
const SOMETIMES: Record<string, string[]> = {
  AssociatedMetadataView: ['allow_download_status', 'alt_text'],
  // those that webhook_config.fields names
  WebhookView: ['created_at', 'url', 'valid'],
  AppDestinationView: ['googleplay_app_id', 'googleplay_deep_link', 'ios_app_store_identifier', 'ios_deep_link'],
  AuthorView: Object.keys(schemas.AuthorView?.properties ?? {}).filter((name) => !name.startsWith('id')),
  CardView: ['components', 'slides'],
  CreatedPostView: ['card_uri', 'display_text_range', 'dynamic_product_ad', 'full_text', 'text'],
  CustomAudienceView: ['metadata'],
  DraftPostView: ['status'],
  EntitiesView: ['media'],
  FoundMediaView: ['alt_text', 'duration_ms', 'height', 'preview_image_url', 'url', 'variants', 'width'],
  ImageConversationCardView: CONVERSATION,
  FinalPageView: ['cta_button', 'description'],
  LeadFieldView: ['optional'],
  LeadFormView: ['fields', 'final_page', 'introduction', 'privacy_policy'],
  LeadIntroductionView: ['description'],
  LibraryMediaView: ['aspect_ratio', 'description', 'duration', 'poster_media_key', 'poster_media_url', 'title'],
  MediaComponentView: ['media_metadata'],
  MediaMetadataView: ['video_aspect_ratio', 'video_duration'],
  MediaUploadView: [...OF_UPLOADS],
  MediaUploadV2View: [...OF_UPLOADS],
  PlatformView: ['localized_name'],
  PollCardView: [
    'content_duration_seconds',
    'fourth_choice',
    'image_display_height',
    'image_display_width',
    'media_url',
    'third_choice',
    'video_height',
    'video_hls_url',
    'video_poster_height',
    'video_poster_url',
    'video_poster_width',
    'video_url',
    'video_width',
  ],
  PostView: ['card_uri', 'dynamic_product_ad', 'reposted_post_id'],
  ProcessingInfoView: ['check_after_secs', 'error', 'progress_percent'],
  TargetingCriterionView: ['localized_name', 'location_type'],
  MediaMetricsView: Object.keys(schemas.MediaMetricsView?.properties ?? {}),
  SegmentView: Object.keys(schemas.SegmentView?.properties ?? {}),
  SwipeableMediaComponentView: ['media_metadata'],
  VideoConversationCardView: [...CONVERSATION, 'poster_media_key', 'unlocked_video_media_key', 'unlocked_video_url'],
  WebsiteDestinationView: ['tco_url'],
};

describe('every part of the document', () => {
  it('says what it is', () => {
    const silent = [
      ...operations.flatMap(({ operation: { operationId, summary, description } }) =>
        summary && description ? [] : [operationId!],
      ),
      ...operations.flatMap(({ operation }) =>
        documentParametersOf(operation).flatMap(({ name, description }) =>
          description ? [] : [`${operation.operationId} ${name}`],
        ),
      ),
      ...[...everySchema()].flatMap(([at, { properties = {} }]) =>
        Object.entries(properties).flatMap(([name, field]) => (descriptionOf(field) ? [] : [`${at}.${name}`])),
      ),
    ];
    expect(silent).toEqual([]);
  });

  it('has each closed set of words once, under a name', () => {
    const isOfWords = (values: unknown[] | undefined) => values?.some((value) => typeof value === 'string');
    const inline = [...everySchema()].filter(([at, schema]) => isOfWords(schema.enum) && schemas[at] !== schema);
    expect(inline.map(([at]) => at)).toEqual([]);
    expect(Object.values(schemas).filter((schema) => schema.enum).length).toBeGreaterThan(20);
  });

  it('says which of its fields are always there, in every answer', () => {
    const envelopes = operations.flatMap(({ path, operation }) =>
      mediaOf(operation).flatMap(([status, { schema }]) =>
        path.startsWith('/12/') && status.startsWith('2') ? [{ id: operation.operationId, schema: schema! }] : [],
      ),
    );
    expect(envelopes.length).toBeGreaterThan(20);
    for (const { id, schema } of envelopes) {
      const { properties = {}, required = [] } = schema;
      expect({ id, required: [...required].sort() }).toEqual({
        id,
        required: Object.keys(properties)
          .filter((name) => name !== 'total_count' || ALWAYS_COUNTED.includes(id!))
          .sort(),
      });
    }
    for (const [name, { properties = {}, required = [] }] of Object.entries(schemas)) {
      if (!name.endsWith('View')) continue;
      expect([...required, ...(SOMETIMES[name] ?? [])].sort()).toEqual(Object.keys(properties).sort());
    }
  });

  it('shows each parameter in one place', () => {
    for (const { operation } of operations) {
      const form = mediaOf(operation).find(([name]) => name === 'body')?.[1].schema;
      if (!form?.$ref) continue;
      expect(documentParametersOf(operation).filter((parameter) => parameter.in === 'query')).toEqual([]);
    }
  });

  it('has an example that its schema allows: answers, bodies and what a path names', () => {
    const wrong: string[] = [];
    const judge = (at: string, schema: DocumentSchema, example: unknown) => {
      const validate = compile(schema);
      if (example === undefined) wrong.push(`${at} has none`);
      else if (!validate(example)) wrong.push(`${at}: ${JSON.stringify(validate.errors)}`);
    };
    for (const { operation } of operations) {
      const id = operation.operationId!;
      for (const parameter of documentParametersOf(operation)) {
        if (parameter.required) judge(`${id} ${parameter.name}`, parameter.schema, parameter.example);
      }
      for (const [name, media] of mediaOf(operation)) judge(`${id} ${name}`, media.schema!, media.example);
    }
    for (const [at, schema] of everySchema()) {
      const { examples, ...rest } = schema;
      for (const example of (examples ?? []) as unknown[]) judge(at, rest, example);
    }
    expect(wrong).toEqual([]);
  });

  it('says null and examples as OpenAPI 3.1 does', () => {
    for (const [at, schema] of everySchema()) {
      expect({ at, old: ['nullable', 'example'].filter((keyword) => keyword in schema) }).toEqual({ at, old: [] });
    }
  });
});
