import { invalid } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { EnumList } from '../../common/http/params/fields.js';
import { Email, Phone, PhoneExtension } from '../contact-fields.js';
import { EMAIL_TYPES, type EmailType } from '../entities/user-settings.entity.js';

type Lists = Pick<UpdateUserSettings, 'subscribed_email_types' | 'subscribe_email_types'>;

const EmailTypes = () => EnumList(EMAIL_TYPES, { nullable: true });

const oneList = ({ subscribed_email_types: list, subscribe_email_types: other }: Lists) =>
  list === undefined || other === undefined
    ? undefined
    : invalid('subscribe_email_types', 'subscribe_email_types is another name of subscribed_email_types', {
        value: other,
        details: 'send one of them',
      });

@Example({ notification_email: 'ann@northwind.example', subscribed_email_types: ['ACCOUNT_PERFORMANCE'] })
@Rule(['subscribed_email_types', 'subscribe_email_types'], oneList)
export class UpdateUserSettings {
  /** The address that receives notifications. */
  @Email() notification_email?: string | null;
  /** The phone number of the user. */
  @Phone() contact_phone?: string | null;
  /** What is dialed after the phone number. */
  @PhoneExtension() contact_phone_extension?: string | null;
  /** The kinds of e-mail that the user subscribes to. An empty value ends all subscriptions. */
  @EmailTypes() subscribed_email_types?: EmailType[] | null;
  /** Another name of `subscribed_email_types`. */
  @EmailTypes() subscribe_email_types?: EmailType[] | null;
}
