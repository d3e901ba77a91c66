import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FeaturesService } from '../../../src/accounts/features/features.service.js';
import { world } from '../../support/app.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { sendMultipart, UPLOAD } from '../../support/media/upload.js';

export type PostType = 'DRAFT' | 'SCHEDULED' | 'PUBLISHED';
export type Category = 'post_image' | 'post_gif' | 'post_video';

/** A file of the demo. */
export const asset = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../../../assets/demo', name));

/** Where the posts of each type are made. */
const PATHS = { DRAFT: 'draft_posts', SCHEDULED: 'scheduled_posts', PUBLISHED: 'post' } as const;

/** An advertiser on the way from bytes to a preview, by requests alone. */
export class Journey {
  private constructor(readonly advertiser: Advertiser) {}

  static async begin(): Promise<Journey> {
    const advertiser = await given.advertiser({ name: 'Northwind Coffee' });
    // polls with media need it
    await world().get(FeaturesService).add(advertiser.account, ['PROMOTED_MEDIA_POLLS']);
    return new Journey(advertiser);
  }

  /** Uploads a file in one request, and adds it to the library; answers its key. */
  async upload(category: Category, bytes: Buffer, about: Params = {}): Promise<string> {
    const answer = await sendMultipart(this.advertiser, { media_category: category }, bytes);
    return this.toLibrary(expected(200, answer).media_key, about);
  }

  /** The same in segments of so many bytes, the last one first. */
  async uploadInSegments(category: Category, bytes: Buffer, segment: number, about: Params = {}): Promise<string> {
    const command = (form: Params) => this.advertiser.api.post(UPLOAD, { form });
    const begin = { command: 'INIT', total_bytes: bytes.length, media_type: 'video/mp4', media_category: category };
    const { media_id_string: media_id, media_key } = expected(202, await command(begin));
    for (let index = Math.ceil(bytes.length / segment) - 1; index >= 0; index--) {
      const part = bytes.subarray(index * segment, (index + 1) * segment);
      const fields = { command: 'APPEND', media_id, segment_index: index };
      expected(204, await sendMultipart(this.advertiser, fields, part));
    }
    expected(200, await command({ command: 'FINALIZE', media_id }));
    const query = { command: 'STATUS', media_id };
    const { processing_info } = expected(200, await this.advertiser.api.get(UPLOAD, { query }));
    expect(processing_info.state).toBe('succeeded');
    return this.toLibrary(media_key, about);
  }

  /** Makes a component-based card; answers what was made. */
  async card(json: Json): Promise<Json> {
    return expected(201, await this.advertiser.api.post(this.path('cards'), { json })).data;
  }

  /** Makes a card of another kind. */
  async cardOf(kind: 'image_conversation' | 'video_conversation' | 'poll', form: Params): Promise<Json> {
    return expected(201, await this.advertiser.api.post(this.path(`cards/${kind}`), { form })).data;
  }

  /** Makes a post; a scheduled one is due in a week. */
  async post(type: PostType, params: Params): Promise<string> {
    const { account, api } = this.advertiser;
    const scheduled_at = type === 'SCHEDULED' ? new Date(world().clock.now().getTime() + 7 * 86_400_000) : undefined;
    const form = { as_user_id: account.userId, scheduled_at: scheduled_at?.toISOString(), ...params };
    const { data } = expected(201, await api.post(this.path(PATHS[type]), { form }));
    return type === 'PUBLISHED' ? data.id_str : data.id;
  }

  /** The frame of a post's preview, and the URL in it. */
  async preview(type: PostType, id: string): Promise<{ html: string; url: string }> {
    const query = { post_ids: id, post_type: type };
    const { data } = expected(200, await this.advertiser.api.get(this.path('post_previews'), { query }));
    expect(data).toEqual([{ post_id: id, preview: expect.stringContaining('<iframe ') }]);
    const html = data[0].preview as string;
    return { html, url: / src='([^']+)'/.exec(html)![1] };
  }

  private path(rest: string): string {
    return `/12/accounts/${this.advertiser.account.id}/${rest}`;
  }

  private async toLibrary(media_key: string, about: Params): Promise<string> {
    const form = { media_key, ...about };
    const { data } = expected(201, await this.advertiser.api.post(this.path('media_library'), { form }));
    expect(data.media_status).toBe('TRANSCODE_COMPLETED');
    return data.media_key;
  }
}

/** The body of an answer of this status; another one is shown with what it says. */
function expected(status: number, answer: Answer): Json {
  expect({ status: answer.status, errors: answer.body?.errors }).toEqual({ status });
  return answer.body;
}
