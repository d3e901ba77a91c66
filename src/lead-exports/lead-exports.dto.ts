import { invalid } from '../common/errors/catalogue.js';
import { Example, Rule } from '../common/http/params/dto-metadata.js';
import { Int, OneOf, Uuid } from '../common/http/params/fields.js';
import { closedSet } from '../common/values/closed-set.js';
import { LEAD_FILE_FORMATS, type LeadFileFormat } from './lead-export.entity.js';

export const EXPORTED_TYPES = closedSet('LeadExportEntityType', ['leads']);

/** The last second of the year 9999. */
const MAX_EPOCH = 253_402_300_799;

type Epochs = Pick<CreateLeadExport, 'start_epoch' | 'end_epoch'>;

@Example({
  entity_type: 'leads',
  lead_form_id: '{lead_form_id}',
  start_epoch: 1_767_225_600,
  end_epoch: 4_102_444_800,
  response_format: 'csv',
})
@Rule(['start_epoch', 'end_epoch'], ({ start_epoch: start, end_epoch: end }: Epochs) =>
  end > start
    ? undefined
    : invalid('end_epoch', `Expected a time after start_epoch (${start}) for end_epoch, got ${end}`, { value: end }),
)
export class CreateLeadExport {
  /** What to export. */
  @OneOf(EXPORTED_TYPES) entity_type: 'leads';
  /** The lead form, which is not archived. */
  @Uuid() lead_form_id: string;
  /** Start of the time range in which leads were submitted, inclusive, in seconds since 1970. */
  @Int({ min: 0, max: MAX_EPOCH }) start_epoch: number;
  /** End of the time range, exclusive, in seconds since 1970. */
  @Int({ min: 0, max: MAX_EPOCH }) end_epoch: number;
  /** The format of the file. */
  @OneOf(LEAD_FILE_FORMATS, { optional: true, default: 'json' }) response_format?: LeadFileFormat;
}
