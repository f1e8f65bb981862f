//! Answers that are wrong in their last field alone, to see whether a check looks at it.

use crate::call::Answer;
use crate::records::{Item, Structure};

impl Answer {
    /// The same but for its last field: of the last record, the last element, the last character, the last octet, the number itself.
    /// Its lengths stay. None where there is no field.
    #[must_use]
    pub fn altered(&self) -> Option<Self> {
        Some(match self {
            Answer::Nothing => return None,
            Answer::Number(number) => Answer::Number(number.wrapping_add(1)),
            Answer::Persons(persons) => {
                let mut persons = persons.clone();
                let last = persons.last_mut()?;
                last.last_name = text(&last.last_name)?;
                Answer::Persons(persons)
            }
            Answer::Octets(octets) => {
                let mut octets = octets.clone();
                *octets.0.last_mut()? ^= 1;
                Answer::Octets(octets)
            }
            Answer::Structure(it) => Answer::Structure(structure(it)?.into()),
            Answer::Text(it) => Answer::Text(text(it)?),
            Answer::Found(found) => {
                let mut found = found.clone();
                match found.search_result.item.last_mut() {
                    Some(last) => alter(last),
                    None => found.item_search_url = text(&found.item_search_url)?,
                }
                Answer::Found(found)
            }
        })
    }
}

/// The last bean's last number, or what comes last where there is no bean.
fn structure(right: &Structure) -> Option<Structure> {
    let mut it = right.clone();
    if let Some(bean) = it.beans.last_mut() {
        match bean.related.last_mut() {
            Some(last) => *last = last.wrapping_add(1),
            None => bean.flag = !bean.flag,
        }
    } else if let Some(user) = it.users.last_mut() {
        user.created = user.created.wrapping_add(1);
    } else if let Some(number) = it.numbers.last_mut() {
        *number = number.wrapping_add(1);
    } else {
        it.text = text(&it.text)?;
    }
    Some(it)
}

fn alter(item: &mut Item) {
    item.is_multi_variation_listing = Some(item.is_multi_variation_listing != Some(true));
}

/// The same with another last character, which takes as many octets of UTF-8 and units of UTF-16.
fn text(right: &str) -> Option<String> {
    let last = right.chars().next_back()?;
    // The first character of each length has an even number, so its neighbour is of the same length.
    let other = char::from_u32(last as u32 ^ 1)?;
    Some(format!("{}{other}", &right[..right.len() - last.len_utf8()]))
}
