import { Example } from '../../common/http/params/example.js';
import { OneOf, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { MEDIA_KEY } from '../media-files/media-key.js';
import { MEDIA_TYPES, type MediaType } from '../entities/media.entity.js';
import { LibraryMedia } from '../entities/library-media.entity.js';

export class ListMediaLibrary extends ListQuery(LibraryMedia, { count: 20, max: 50 }) {
  /** Only media of this type. */
  @OneOf(MEDIA_TYPES, { optional: true }) media_type?: MediaType;
  /** Only what has all of these words in its name, title, file name or description, whatever their case. */
  @Text({ optional: true, min: 1, max: 255 }) q?: string;
}

@Example({ name: 'Autumn', title: 'Beans of the season' })
export class UpdateLibraryMedia {
  /** A note on what a video shows; only videos have one. A post shows it only as its `video_description`. */
  @Text({ nullable: true, max: 200 }) description?: string | null;
  /** What the file is called. */
  @Text({ nullable: true, max: 255 }) file_name?: string | null;
  /** What the medium is called. */
  @Text({ visible: true, nullable: true, max: 100 }) name?: string | null;
  /** An image of the library that stands for a video until it plays; its first frame where none is set. For videos only. */
  @Text({ nullable: true, max: 100, matching: MEDIA_KEY }) poster_media_key?: string | null;
  /** The title of a video; only videos have one. A post shows it only as its `video_title`. */
  @Text({ nullable: true, max: 70 }) title?: string | null;
}

@Example({ media_key: '{media_key_image}', name: 'Autumn' })
export class AddLibraryMedia extends UpdateLibraryMedia {
  /** What the upload answered where it was given a `media_category`. */
  @Text({ max: 100, matching: MEDIA_KEY }) media_key: string;
}
