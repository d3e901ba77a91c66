import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { EMAIL_TYPES, type EmailType, type UserSettings } from '../entities/user-settings.entity.js';

const TEXT = { type: String, nullable: true } as const;

@Noun('user settings', 'user settings')
export class UserSettingsView {
  /** The address that receives notifications; null if none is set. */
  @ApiProperty({ ...TEXT, example: 'ann@northwind.example' }) notification_email: string | null;
  /** The phone number of the user; null if none is set. */
  @ApiProperty({ ...TEXT, example: '+1 503 555 0100' }) contact_phone: string | null;
  /** What is dialed after the phone number; null if none is set. */
  @ApiProperty({ ...TEXT, example: '42' }) contact_phone_extension: string | null;
  /** The kinds of e-mail that the user subscribed to. */
  @ApiProperty({ ...enumSchema(EMAIL_TYPES), isArray: true }) subscribed_email_types: EmailType[];
}

/** The settings of a user, or those of one who has set nothing. */
export const presentUserSettings = (settings: Row<UserSettings> | undefined): UserSettingsView => ({
  notification_email: settings?.notificationEmail ?? null,
  contact_phone: settings?.contactPhone ?? null,
  contact_phone_extension: settings?.contactPhoneExtension ?? null,
  subscribed_email_types: settings?.subscribedEmailTypes ?? [],
});
