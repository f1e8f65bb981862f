//! Answers that are wrong only in their last field. They test whether a check looks at it.

use crate::call::Answer;
use crate::records::{Item, Structure};

impl Answer {
    /// A copy with a different last field: the last record, element, character or byte, or the number itself. The lengths stay the same. None if
    /// there is no field.
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
            Answer::Own(answer) => Answer::Own(answer.altered()?),
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

/// Alters the last number of the last bean, or the last field if there is no bean.
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

/// Alters the last character. It has the same length in UTF-8 and UTF-16.
fn text(right: &str) -> Option<String> {
    let last = right.chars().next_back()?;
    // The first character of each length has an even number, so this neighbour has the same length.
    let other = char::from_u32(last as u32 ^ 1)?;
    Some(format!("{}{other}", &right[..right.len() - last.len_utf8()]))
}
