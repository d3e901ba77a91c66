import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { rows, type Row } from '../../common/db/query/rows.js';
import { LibraryMedia } from '../entities/library-media.entity.js';
import { Media, MediaSubtitles } from '../entities/media.entity.js';
import { groupedBy } from '../../common/values/grouped.js';
import { mediaIdOf, trackFileOf } from '../media-files/media-key.js';
import { MediaUrls } from '../media-files/media-urls.js';
import { asInLibrary, shownMedia, type ShowMedia } from './preview-media.rules.js';

/** Returns a lookup of an account's library media, including removed ones if requested. */
type ShowFrom = (accountId: string, options?: { removedToo?: boolean }) => ShowMedia;

/** Finds the media of previewed posts and cards in libraries and uploads. */
@Injectable()
export class PreviewMediaService {
  constructor(private readonly mediaUrls: MediaUrls) {}

  /**
   * Lookup of library media, including removed ones unless requested otherwise. Media in no library come from their
   * upload.
   */
  async find(db: EntityManager, wanted: { accountId: string; keys: string[] }[]): Promise<ShowFrom> {
    const keys = [...new Set(wanted.flatMap((each) => each.keys))];
    if (keys.length === 0) return () => () => shownMedia(undefined, String);

    const [inLibrary, uploaded] = await Promise.all([
      rows(db, LibraryMedia)
        .withDeleted()
        .whereIn('accountId', [...new Set(wanted.map(({ accountId }) => accountId))])
        .whereIn('mediaKey', keys)
        .getMany(),
      // also of those in a library: uploads have the alternative texts and subtitles
      this.uploaded(db, keys),
    ]);
    const known = new Map(inLibrary.map((media) => [`${media.accountId} ${media.mediaKey}`, media]));
    const urlOf = (file: string) => this.mediaUrls.of(file);
    return (accountId, { removedToo = true } = {}) => {
      const find = (key: string) => {
        const own = known.get(`${accountId} ${key}`);
        if (own && own.deletedAt !== null && !removedToo) return undefined;
        const upload = uploaded.get(key);
        return own ? { ...own, altText: upload?.altText, subtitles: upload?.subtitles } : upload;
      };
      return (key, posterKey) => shownMedia(find(key), urlOf, posterKey ? find(posterKey)?.file : undefined);
    };
  }

  private async uploaded(db: EntityManager, keys: string[]) {
    const ids = keys.map(mediaIdOf);
    const [found, subtitles] = await Promise.all([
      rows(db, Media).whereIn('id', ids).getMany(),
      rows(db, MediaSubtitles).whereIn('mediaId', ids).orderBy('languageCode').getMany(),
    ]);
    const files = await this.trackFiles(db, subtitles);
    const tracks = groupedBy(subtitles, ({ mediaId }) => mediaId);
    const byId = new Map(found.map((media) => [media.id, media]));
    return new Map(
      keys.flatMap((key) => {
        const upload = byId.get(mediaIdOf(key));
        const media = upload && asInLibrary(upload, key);
        const own = tracks.get(mediaIdOf(key))?.flatMap(({ languageCode, displayName, fileId }) => {
          const file = files.get(fileId);
          return file ? [{ language: languageCode, label: displayName, file }] : [];
        });
        return media ? [[key, { ...media, subtitles: own }] as const] : [];
      }),
    );
  }

  /** The names of files of subtitles for browsers, by the id of their upload. */
  private async trackFiles(db: EntityManager, subtitles: readonly Row<MediaSubtitles>[]): Promise<Map<string, string>> {
    if (subtitles.length === 0) return new Map();
    const found = await rows(db, Media)
      .whereIn('id', [...new Set(subtitles.map(({ fileId }) => fileId))])
      .where('state', 'SUCCEEDED')
      .getMany();
    return new Map(found.flatMap(({ id, file }) => (file === null ? [] : [[id, trackFileOf(file)] as const])));
  }
}
